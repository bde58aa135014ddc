"""The allocator's answer: the subtraction, or why there is none and what would make one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from budget_model.domain.allocation import Allocation, Infeasible
from budget_model.domain.strategies import Strategy
from budget_model.domain.token_limits import TokenRow
from budget_model.services.allocating import Proposal
from budget_model.services.budget_words import infeasible_words, nearest_target_ms, scale_words
from budget_model.views import allocator_compute, allocator_controls, draw, explain, tables, text
from budget_model.views import format as words
from budget_model.views.asked import Asked
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.charts.subtraction import overhead_figure, subtraction_figure
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column


def render(page: Page, answers: BudgetAnswers, question: Asked, proposal: Proposal) -> None:
    """Draw the answer to ``question``."""
    for refusal in proposal.refusals:
        st.error(text.markdown(refusal, 400), icon=":material/block:")
    allocation = proposal.allocation
    if allocation is None:
        _refused(question, proposal)
    elif allocation.infeasible is not None:
        _infeasible(question, allocation, allocation.infeasible)
    else:
        _feasible(page, answers, question, proposal, allocation)


def warnings(proposal: Proposal) -> None:
    """What to be wary of in the answer."""
    for warning in proposal.warnings:
        st.caption(f":material/warning: {text.markdown(warning, 400)}")


def _refused(question: Asked, proposal: Proposal) -> None:
    st.caption("No budget is shown, because none would be honest.")
    lower = allocator_controls.default_percentile(proposal.n, proposal.failed)
    if lower < question.q:
        st.button(
            f"Ask for the {words.percentile(lower)}, which can have one",
            key="take-percentile",
            on_click=partial(allocator_controls.put, partial(replace, q=lower)),
        )


def _feasible(
    page: Page, answers: BudgetAnswers, question: Asked, proposal: Proposal, allocation: Allocation
) -> None:
    _lead(page, answers, question, proposal, allocation)
    explain.titled(
        "From the target to prefill and decode <small>thin: in today's tail</small>",
        "From the target to the lines",
        subtraction_lines(allocation, proposal),
        key="allocator-waterfall",
        links=[explain.traces_at(question.q)],
        f=page.filter,
    )
    draw.chart(
        subtraction_figure(allocation, observed_bars(allocation)),
        key="allocator-waterfall",
        alt=subtraction_words(allocation),
    )


def _lead(
    page: Page, answers: BudgetAnswers, question: Asked, proposal: Proposal, allocation: Allocation
) -> None:
    """What the target asks of compute, and how today's traffic fares against it, side by side."""
    with st.container(key="allocator-lead"):
        compute, traffic = st.columns([45, 55], gap="small")
    with compute:
        st.html(f'<div class="tb-lead hop-edge">{compute_words(question, proposal, allocation)}</div>')
    with traffic:
        allocator_compute.attainment(page, answers, question)


def compute_words(question: Asked, proposal: Proposal, allocation: Allocation) -> str:
    """Safe markup: the time compute may take, and the percentile it was asked of."""
    return (
        f'{scale_words(allocation)}<div class="tb-sub">{words.percentile(question.q)} today '
        f"{words.estimate(proposal.estimate)} (95 % {tables.interval_words(proposal.estimate)}) · "
        f"{words.sample(proposal.n)}, {proposal.failed:,} failed</div>"
    )


def observed_bars(allocation: Allocation) -> dict[str, float]:
    """Each line's hop as it is in today's tail, in milliseconds."""
    from_hop = dict(zip(allocator_controls.HOP_NAMES, allocation.observed_bars_us, strict=True))
    shown = {line.name for line in allocation.lines}
    return {hop: float(us) / 1000 for hop, us in from_hop.items() if hop in shown}


def subtraction_words(allocation: Allocation) -> str:
    """The chart for those who do not see it."""
    lines = ", ".join(f"{line.name} {line.printed_ms} ms" for line in allocation.lines)
    return f"Target {words.duration(allocation.question.target_us / 1000)} divided: {lines}"


def subtraction_lines(allocation: Allocation, proposal: Proposal) -> list[str]:
    """How the lines were found, with this view's numbers."""
    question, compute = allocation.question, allocation.compute
    name = words.percentile(question.q)
    found = [
        *_failure_lines(proposal, allocation),
        f"Target {_ms(question.target_us)} less headroom {words.share(question.headroom)} "
        f"({_ms(question.headroom_us)}) leaves {_ms(question.effective_us)} for all hops.",
        f"Overhead is added up in each of the {proposal.n:,} requests first; the {name} of that sum is "
        f"{_ms(compute.overhead_quantile_us)}.",
    ]
    if compute.scale is not None and math.isfinite(compute.scale):
        found.append(
            f"The largest factor on every request's compute at which the {name} is still "
            f"{_ms(question.effective_us)} is {compute.scale:.4f}."
        )
    found.append("Lines are whole microseconds that add to the target; the printed ones add to it too.")
    found.append(
        f"Thin bars: hop times in a request at today's {name}, which add to {_ms(allocation.observed_us)}."
    )
    return found


def _failure_lines(proposal: Proposal, allocation: Allocation) -> list[str]:
    if not proposal.failed:
        return []
    return [
        f"{proposal.failed:,} failed requests count as slower than any target: a percentile of all "
        f"{proposal.n + proposal.failed:,} requests. The {words.percentile(proposal.question.q)} is "
        f"{words.estimate(proposal.estimate)} of the ok ones alone, and {_ms(allocation.observed_us)} of all."
    ]


def _infeasible(question: Asked, allocation: Allocation, why: Infeasible) -> None:
    st.error(f"**{text.markdown(infeasible_words(allocation), 600)}**", icon=":material/block:")
    with st.container(horizontal=True, key="make-feasible"):
        for label, key, change in ways_out(question, allocation, why):
            st.button(label, key=key, on_click=partial(allocator_controls.put, change))
    if allocation.compute.scale is None:
        draw.chart(
            overhead_figure(allocation),
            key="allocator-overhead",
            alt="Overhead in the tail against what the target leaves for it",
        )
        st.caption(
            "These hops come before any compute. Cut the longest first, lock one at a contract, or "
            "give a longer target or less headroom."
        )


def ways_out(
    question: Asked, allocation: Allocation, why: Infeasible
) -> list[tuple[str, str, Callable[[Asked], Asked]]]:
    """Changes of the controls that make the target feasible: label, key, change."""
    if allocation.compute.scale is not None:
        return [("Use the default strategy", "use-default", lambda now: now.with_strategy(Strategy.EULER))]
    found: list[tuple[str, str, Callable[[Asked], Asked]]] = []
    nearest_s = nearest_target_ms(why) / 1000
    found.append(
        (
            f"Set the target to {nearest_s:g} s, the nearest feasible",
            "take-target",
            partial(replace, target_s=nearest_s),
        )
    )
    if why.nearest_headroom is not None:
        least = math.floor(1000 * why.nearest_headroom) / 1000
        found.append(
            (
                f"Lower the headroom to {words.share(least)}",
                "lower-headroom",
                partial(replace, headroom=least),
            )
        )
    today_s = math.ceil(allocation.observed_us / (1 - question.headroom) / 10_000) / 100
    if today_s > nearest_s:
        found.append(
            (
                f"Set the target to {today_s:g} s, at which compute is as today",
                "take-today",
                partial(replace, target_s=today_s),
            )
        )
    return found


def _ms(us: float) -> str:
    return words.duration(us / 1000)


TOKEN_COLUMNS = (
    Column("Prompt length"),
    Column("Longest prompt (tokens)", "r", "what the prefill line pays for, within what was measured"),
    Column("Longest answer (tokens)", "r", "what the decode line pays for, at this time per output token"),
)

LINE_COLUMNS = (
    Column("Line"),
    Column("Budget", "r", "adds to the target"),
    Column("Today's tail", "r", "mean time around the percentile; adds to today's percentile"),
    Column("Own limit, does not add", "r", "the percentile of the hop alone: for the team that runs it"),
)


def tokens(proposal: Proposal) -> None:
    """What the lines buy."""
    explain.titled(
        "What the lines buy in tokens", "From milliseconds to tokens", token_lines(proposal), key="tokens"
    )
    tables.show(TOKEN_COLUMNS, [token_cells(row) for row in proposal.tokens], key="token-table")


def lines(proposal: Proposal) -> None:
    """The lines as numbers, with each hop's own limit."""
    allocation = proposal.allocation
    if allocation is None or not proposal.feasible:
        st.caption("Without a budget there are no limits.")
        return
    draw.heading("Lines, and each hop's own limit")
    tables.show(LINE_COLUMNS, line_rows(allocation), key="line-table")
    st.caption(
        "An own limit is what the hop may take at its own percentile. Limits are reached in different "
        "requests, so they do not add to the target."
    )


def line_rows(allocation: Allocation) -> list[list[Cell | str]]:
    """A row per line, the target first."""
    observed = observed_bars(allocation)
    limits = {str(hop): us / 1000 for hop, us in allocation.guard_limits_us.items()}
    rows: list[list[Cell | str]] = [
        [
            "target",
            words.whole_ms(round(allocation.question.target_us / 1000)),
            _ms(allocation.observed_us),
            "",
        ]
    ]
    for line in allocation.lines:
        name: Cell | str = line.name if line.kind == "headroom" else tables.hop_name(line.name)
        now = words.duration(observed[line.name]) if line.name in observed else ""
        limit = words.duration(limits[line.name]) if line.name in limits else ""
        rows.append([name, words.whole_ms(line.printed_ms), now, limit])
    return rows


def token_cells(row: TokenRow) -> list[Cell | str]:
    """One prompt bucket, with the requests behind each figure."""
    pace = "" if row.tpot_ms is None else f"at {words.duration(row.tpot_ms)} · "
    answer = "too few samples" if row.max_output_tokens is None else f"{row.max_output_tokens:,}"
    return [
        text.plain(row.bucket),
        Cell(f"{_prompt(row)} <small>{words.sample(row.prompt_n)}</small>"),
        Cell(f"{answer} <small>{pace}{words.sample(row.output_n)}</small>"),
    ]


def _prompt(row: TokenRow) -> str:
    if row.max_prompt_tokens is None:
        return "none, or too few samples"
    least = "at least " if row.at_measured_limit else ""
    return f"{least}{row.max_prompt_tokens:,}"


def token_lines(proposal: Proposal) -> list[str]:
    """How the token limits were found."""
    name = words.percentile(proposal.question.q)
    return [
        f"Prompts: the {name} of prefill time by prompt length, measured in groups of like length, made "
        "monotone; the longest prompt whose time fits the prefill line. Nothing beyond what was measured: "
        "“at least” means the longest measured prompt still fits.",
        f"Answers: 1 + decode line ÷ the {name} of the requests' own mean time per output token. "
        "Not pooled gaps: they average out over an answer.",
    ]
