"""Beside the answer: three readings of what is left, how today's traffic fares, prefill against decode."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from budget_model.domain.allocation import Allocation
from budget_model.domain.compute_budget import ComputeBudgets
from budget_model.domain.frontier import FrontierPoint
from budget_model.domain.hops import COMPUTE_HOPS
from budget_model.services.allocating import Proposal
from budget_model.services.attainment import Attainment
from budget_model.views import allocator_controls, draw, explain, tables
from budget_model.views import format as words
from budget_model.views.asked import Asked
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.charts.frontier import frontier_figure
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

POINTS = 9

COLUMNS = (Column("Compute"), Column("May take", "r"), Column("of today's", "r"))


def render(page: Page, answers: BudgetAnswers, question: Asked, proposal: Proposal) -> None:
    """Draw the column."""
    allocation = proposal.allocation
    if allocation is not None and proposal.feasible:
        _three(question, allocation)
        _frontier(page, answers, question, allocation)
    else:
        draw.heading("Today's traffic against this target")
        attainment(page, answers, question)


def _three(question: Asked, allocation: Allocation) -> None:
    name = words.percentile(question.q)
    explain.titled(
        f"Left for compute at the {name}",
        "Why the usual subtraction is wrong",
        why_naive(allocation, name),
        key="three-budgets",
    )
    tables.show(COLUMNS, three_rows(allocation.compute), key="three-budgets")
    if question.prefill_share is not None:
        st.caption("With one factor on both prefill and decode.")


def three_rows(compute: ComputeBudgets) -> list[list[Cell | str]]:
    """Naive, constant, joint: what compute may take and what share of its percentile today that is."""
    readings = (
        ("As it varies", "the one to use", compute.joint_us),
        ("If it were constant", "safe if never longer", compute.deterministic_us),
        ("Own percentiles off", "wrong: they do not add", compute.naive_us),
    )
    rows: list[list[Cell | str]] = []
    for title, meaning, us in readings:
        part = words.ratio(us, compute.compute_quantile_us) if us is not None else None
        rows.append(
            [
                Cell(f"{title}<br><small>{meaning}</small>"),
                "no bound" if us is None else words.duration(us / 1000) if us >= 0 else "“impossible”",
                "" if part is None or part < 0 else words.share(part),
            ]
        )
    return rows


def why_naive(allocation: Allocation, name: str) -> list[str]:
    """What subtracting own percentiles would have cost here."""
    compute, effective = allocation.compute, allocation.question.effective_us
    own = effective - compute.naive_us
    lines = [
        f"The overhead hops' own {name}s add to {words.duration(own / 1000)}; the {name} of their sum in "
        f"each request is {words.duration(compute.overhead_quantile_us / 1000)}. They are reached in "
        "different requests.",
    ]
    if compute.joint_us is not None:
        gap = compute.joint_us - compute.naive_us
        which = (
            "too little: slow compute and slow overhead seldom meet in one request."
            if gap > 0
            else "too much: slow compute and slow overhead come together."
        )
        lines.append(f"So it leaves compute {words.duration(abs(gap) / 1000)} {which}")
    lines.append(
        f"Constant: {words.duration(effective / 1000)} less "
        f"{words.duration(compute.overhead_quantile_us / 1000)}. It holds only if compute never takes longer."
    )
    return lines


def attainment_words(found: Attainment, q: float) -> str:
    """Safe markup: the share of today's requests inside, its interval, and what was asked."""
    if found.share is None or found.low is None or found.high is None:
        return "No finished or failed request to hold against the target."
    verdict = "inside" if found.share >= q else "short of"
    return (
        f"<b>{100 * found.share:.2f} %</b> of today's requests are within "
        f"{words.duration(found.target_us / 1000)}: {verdict} the {100 * q:g} % asked."
        f'<div class="tb-sub">95 % interval {100 * found.low:.2f} to {100 * found.high:.2f} % · '
        f"{found.inside:,} of {found.n:,} · {found.late:,} late, {found.failed:,} failed</div>"
    )


def attainment(page: Page, answers: BudgetAnswers, question: Asked) -> None:
    """The share of today's traffic that is inside the target."""
    found = answers.attainment(page.filter, question.question().target_us)
    kept = found.share is not None and found.share >= question.q
    css = "tb-kept" if kept else "tb-missed"
    with st.container(key="attainment"):
        st.html(f'<div class="tb-lead {css}">{attainment_words(found, question.q)}</div>')


def frontier_scales(scale: float) -> tuple[float, ...]:
    """Prefill factors to draw the curve at: from nothing to twice what the target allows or today's."""
    most = max(2.0, 2 * scale)
    return tuple(round(most * i / (POINTS - 1), 6) for i in range(POINTS))


def _frontier(page: Page, answers: BudgetAnswers, question: Asked, allocation: Allocation) -> None:
    scale = allocation.compute.scale
    if scale is None or not math.isfinite(scale):
        return
    asked = question.question()
    points = [
        p
        for p in answers.frontier(page.filter, asked, frontier_scales(scale))
        if math.isfinite(p.decode_scale)
    ]
    if len(points) < 2:
        return
    draw.heading("Prefill against decode")
    chosen = allocation.point or _chosen(page, answers, question, scale)
    draw.chart(
        frontier_figure(points, chosen),
        key="allocator-frontier",
        alt="Prefill and decode times that meet the target",
    )
    locked = [str(hop) for hop in COMPUTE_HOPS if hop in question.locks]
    _point_slider(question, scale, points, disabled=bool(locked))
    if locked:
        st.caption(f"{locked[0]} is locked, so there is nothing to trade.")
    elif question.prefill_share is not None:
        st.button(
            "One factor on both again",
            key="point-undo",
            on_click=partial(allocator_controls.put, lambda now: now.with_point(None)),
        )


def _chosen(page: Page, answers: BudgetAnswers, question: Asked, scale: float) -> FrontierPoint | None:
    found = answers.frontier(page.filter, question.question(), (scale,))
    return found[0] if found and math.isfinite(found[0].decode_scale) else None


def _point_slider(question: Asked, scale: float, points: list[FrontierPoint], *, disabled: bool) -> None:
    most = 100 * max(points[-1].prefill_scale, question.prefill_share or 0.0)
    share = scale if question.prefill_share is None else question.prefill_share
    st.session_state["prefill-share"] = min(round(100 * share), round(most))
    st.slider(
        "Give prefill this much of today's time, decode the rest",
        min_value=0,
        max_value=max(1, round(most)),
        format="%d %%",
        key="prefill-share",
        on_change=_point_moved,
        disabled=disabled,
    )


def _point_moved() -> None:
    share = st.session_state["prefill-share"] / 100
    allocator_controls.put(lambda now: now.with_point(share))
