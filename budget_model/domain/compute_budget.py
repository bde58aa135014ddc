"""Three readings of "what is left for compute": the naive one, a safe one, and the true one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from budget_model.domain.budget_question import HOP_INDEX, Held, Question, Sample, hold
from budget_model.domain.hops import HOPS
from budget_model.domain.quantiles import quantile_of
from budget_model.domain.scaling import largest_scale


@dataclass(frozen=True, slots=True)
class ComputeBudgets:
    """Compute budgets in microseconds for one question.

    ``naive_us`` subtracts each overhead hop's own percentile: percentiles do not add, so it is
    wrong in either direction. ``deterministic_us`` subtracts the percentile of the summed overhead:
    the largest constant compute time that keeps the target. ``joint_us`` is the compute percentile
    after every request's compute is multiplied by ``scale``, the largest factor at which the e2e
    percentile still meets the target. ``scale`` None: infeasible, overhead alone misses; infinite:
    no compute time is recorded, so nothing bounds it.
    """

    naive_us: float
    deterministic_us: float
    joint_us: float | None
    scale: float | None
    overhead_quantile_us: float
    compute_quantile_us: float


def compute_budgets(sample: Sample, question: Question) -> ComputeBudgets:
    """The three budgets of a sample of n >= 1 requests, dependence between hops kept."""
    held = hold(sample, question.locks)
    scale = largest_scale(held.overhead, held.compute, question.effective_us, question.q)
    overhead_quantile = quantile_of(held.overhead, question.q)
    compute_quantile = held.compute_quantile(question.q)
    return ComputeBudgets(
        naive_us=question.effective_us - _sum_of_own_quantiles(held, question.q),
        deterministic_us=question.effective_us - overhead_quantile,
        joint_us=None if scale < 0 or math.isinf(scale) else scale * compute_quantile,
        scale=None if scale < 0 else scale,
        overhead_quantile_us=overhead_quantile,
        compute_quantile_us=compute_quantile,
    )


def _sum_of_own_quantiles(held: Held, q: float) -> float:
    return sum(held.own_quantile(hop, q) for hop in HOPS if HOP_INDEX[hop] not in held.scaled)
