"""Budget answers in the words of somebody who owns the product, for pages and commands alike."""

from __future__ import annotations

import math

from budget_model.domain.allocation import Allocation, Infeasible
from budget_model.domain.budget import Budget, BudgetState
from budget_model.domain.verdict import Decision, Verdict

MEANING: dict[Decision, str] = {
    Decision.PASS: "the budget is kept",
    Decision.FAIL: "the budget is broken",
    Decision.INCONCLUSIVE: "too few requests to say",
}
"""What a verdict means, in a few words."""

STATE_MEANING: dict[BudgetState, str] = {
    BudgetState.DRAFT: "nobody has promised it yet",
    BudgetState.PROPOSED: "it is put forward and not approved yet",
    BudgetState.APPROVED: "it is in force",
    BudgetState.RETIRED: "it is out of use",
}
"""What a state means for whoever holds something against the version."""


def scale_words(allocation: Allocation) -> str:
    """What the target asks of compute, in one sentence."""
    scale, point = allocation.compute.scale, allocation.point
    if point is not None:
        return (
            f"Prefill at {_percent(point.prefill_scale)} of today's time leaves decode "
            f"{_percent(point.decode_scale)} of today's time."
        )
    if scale is None:
        return "Not feasible: what is not compute alone misses the target."
    if math.isinf(scale):
        return "Compute is not recorded."
    if scale >= 1:
        return f"Compute may take {_percent(scale)} of today's time."
    return f"Compute must run in {_percent(scale)} of today's time."


def compute_words(allocation: Allocation) -> str:
    """The three readings of what is left for compute, side by side."""
    compute = allocation.compute
    if compute.joint_us is None or allocation.point is not None:
        return scale_words(allocation)
    return (
        f"{scale_words(allocation)} Its percentile may be {_ms(compute.joint_us)}. "
        f"Subtracting each hop's own percentile would say {_ms(compute.naive_us)}; "
        f"a constant compute time may be {_ms(compute.deterministic_us)}."
    )


def infeasible_words(allocation: Allocation) -> str:
    """Why there is no budget and which target would have one; empty when there is one."""
    infeasible = allocation.infeasible
    if infeasible is None:
        return ""
    if allocation.compute.scale is not None:
        return (
            "Not feasible by this rule: its limits add to more than the target. "
            f"By the default rule it is: {scale_words(allocation)}"
        )
    cut = ", ".join(f"{hop} {_ms(us)}" for hop, us in infeasible.cut_first[:3])
    return (
        f"Not feasible: overhead alone exceeds the target by {_ms(infeasible.shortfall_us)}. "
        f"Cut first: {cut}. "
        f"Nearest feasible target at this headroom: {nearest_target_ms(infeasible):,} ms."
    )


def nearest_target_ms(infeasible: Infeasible) -> int:
    """The least target in whole milliseconds that leaves compute anything at all."""
    return math.floor(infeasible.nearest_target_us / 1000) + 1


def state_words(budget: Budget) -> str:
    """Where a version stands, such as "version 1 is retired: it is out of use"."""
    return f"version {budget.version} is {budget.state}: {STATE_MEANING[budget.state]}"


def verdict_words(verdict: Verdict) -> str:
    """How many bad requests would have decided, and how many requests would."""
    passing = "no count passes yet" if verdict.pass_most is None else f"up to {verdict.pass_most:,} pass"
    words = f"At this n {passing}, {verdict.fail_least:,} or more fail."
    if verdict.decision is Decision.INCONCLUSIVE:
        n = verdict.deciding_n
        words += " No sample decides at this share." if n is None else f" {n:,} requests would decide."
    return words


def _ms(us: float) -> str:
    return f"{us / 1000:,.0f} ms".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"
