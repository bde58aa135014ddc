"""Publish the review of a week to MLflow, and say what stands there now."""

from __future__ import annotations

import streamlit as st

from budget_model.services import clock
from budget_model.services.mlflow_publish import Following
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.mlflow_publish_review import ReviewRequest, publish_review
from budget_model.services.review_words import moment
from budget_model.services.weekly_review import WeeklyReview
from budget_model.services.workspace import Workspace
from budget_model.views import draw, jobs, publishing
from budget_model.views.frame import Page
from budget_model.views.jobs import Job


def render(page: Page, review: WeeklyReview) -> None:
    """The form; while it runs its progress, and afterwards what came of it."""
    draw.heading("Publish to MLflow")
    publishing.told()
    publishing.server_field(page.workspace)
    publishing.button(lambda to: _start(page.workspace, review, to), disabled=not review.is_over)
    publishing.refusal()
    if review.is_over:
        st.caption("One run of the whole week, as it stood when the week ended; what is there already stays.")
    else:
        st.caption(f"A review is published when its week is over, from {moment(review.week.until_us)} on.")


def _start(workspace: Workspace, review: WeeklyReview, to: str) -> None:
    def work(job: Job) -> PublishReport:
        following = Following(job.follow, job.cancel)
        return publish_review(workspace, ReviewRequest(to, review.week), clock.now_us(), following)

    jobs.jobs().start(f"{publishing.TITLE} the review of week {review.week}", work)
