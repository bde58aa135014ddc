"""Why no honest budget can be given, and what to be wary of in one that is."""

from __future__ import annotations

import math

from budget_model.domain.allocation import Allocation
from budget_model.domain.budget_question import Question, Sample
from budget_model.domain.failures import share_of_ok
from budget_model.domain.hops import COMPUTE_HOPS, HOPS, Hop
from budget_model.domain.order_interval import minimum_n
from budget_model.domain.quantiles import percentile_name
from budget_model.queries.results import Waterfall

UNATTRIBUTED_WORTH_SAYING = 0.1
COMPUTE_SCALE_WORTH_SAYING = 0.25

NEVER_MISSED = (Hop.RETRY, Hop.UNATTRIBUTED)
"""Hops that requests without them do not record: no retry, nothing left over."""


def refusals_of(sample: Sample, observed: Waterfall, question: Question) -> tuple[str, ...]:
    """Sentences that each rule a budget out; empty when one can be given."""
    least = minimum_n(question.q, two_sided=False)
    percentile = percentile_name(question.q)
    if observed.n < least:
        return (
            f"{observed.n} finished requests cannot carry a {percentile} budget: below {least} its upper "
            "bound is unknown. Widen the filter or take a lower percentile.",
        )
    found: list[str] = []
    ended = observed.n + observed.missing + observed.failed
    if observed.failed > (1 - question.q) * ended:
        found.append(
            f"{observed.failed} of {ended} requests failed, more than the {1 - question.q:.1%} that "
            f"{percentile} leaves: no latency budget can hold until they do not."
        )
    elif not is_bounded(question.q, observed.n, observed.failed):
        found.append(
            f"{observed.failed} of {ended} requests failed and count as slower than any target, which puts "
            f"{percentile} so near the slowest of the others that its upper bound is unknown. Widen the "
            "filter or take a lower percentile."
        )
    if not any(sample.is_recorded(hop) for hop in COMPUTE_HOPS):
        found.append(
            "No request records prefill or decode, so there is nothing to split. "
            "Map their spans on the Data page or instrument them."
        )
    return tuple(found)


def is_bounded(q: float, n_ok: int, n_failed: int) -> bool:
    """Whether so many ok requests give the percentile an upper bound, each failed one counted above them."""
    share = share_of_ok(q, n_ok, n_failed) if n_ok else None
    return share is not None and n_ok >= minimum_n(share, two_sided=False)


def warnings_of(sample: Sample, observed: Waterfall, allocation: Allocation | None) -> tuple[str, ...]:
    """Sentences to read beside the figures."""
    found = _about_the_sample(observed)
    if allocation is not None:
        found += _about_failures(observed, allocation)
        found += _about_instrumentation(sample, allocation) + _about_the_answer(allocation)
    return tuple(found)


def _about_the_sample(observed: Waterfall) -> list[str]:
    found: list[str] = []
    if observed.n and observed.estimate.grade == "C":
        found.append("Too few samples for a verdict: take the lines as a first guess.")
    if observed.n and observed.estimate.blocks == 0:
        found.append(
            "Whether slow requests cluster in time could not be judged: the interval may be too narrow."
        )
    if observed.missing:
        found.append(f"{observed.missing} finished requests have no end-to-end time and are left out.")
    return found


def _about_failures(observed: Waterfall, allocation: Allocation) -> list[str]:
    if not observed.failed:
        return []
    asked, held = observed.estimate.q, allocation.question.q
    return [
        f"Failed requests count as slower than any target. With {observed.failed:,} of "
        f"{observed.n + observed.failed:,} failed, {asked * 100:.6g} % of all are {held * 100:.4g} % of the "
        f"ok ones; their {percentile_name(round(held, 4))} is {allocation.observed_us / 1e6:,.3g} s today.",
        *(
            ["So many failed that no headroom makes a check of this sample PASS."]
            if allocation.recommended_headroom is None
            else []
        ),
    ]


def _about_instrumentation(sample: Sample, allocation: Allocation) -> list[str]:
    found: list[str] = []
    absent = [str(hop) for hop in HOPS if hop not in NEVER_MISSED and not sample.is_recorded(hop)]
    if absent:
        found.append(f"Not instrumented: {', '.join(absent)}. Their time is in other hops or unattributed.")
    share = allocation.observed_bars_us[-1] / allocation.observed_us if allocation.observed_us else 0.0
    if share > UNATTRIBUTED_WORTH_SAYING:
        found.append(f"{share:.0%} of the observed percentile is unattributed; its line is a guess.")
    return found


def _about_the_answer(allocation: Allocation) -> list[str]:
    found: list[str] = []
    advised, scale = allocation.recommended_headroom, allocation.compute.scale
    if advised is not None and allocation.question.headroom < advised:
        found.append(
            f"Headroom {allocation.question.headroom:.1%} is below the {advised:.1%} that this sample's "
            "uncertainty calls for."
        )
    if scale is not None and math.isfinite(scale) and scale < COMPUTE_SCALE_WORTH_SAYING:
        found.append(f"Compute would have to run in {scale:.0%} of today's time.")
    return found
