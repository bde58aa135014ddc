"""Traces: lists of requests, and one request in full when the address names one."""

from budget_model.views import trace_list
from budget_model.views.frame import Page


def render(page: Page) -> None:
    """Draw the list, or the request named in the address."""
    trace_list.render(page)
