"""PASS, FAIL or INCONCLUSIVE: whether n requests with k bad ones decide an objective."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from budget_model.domain import binomial

ERROR_RATE = 0.05
_MOST_N = 10_000_000


class Decision(StrEnum):
    """The three possible states of a verdict."""

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A one-sided 95 % decision about the share of bad requests.

    ``pass_most`` is the largest number of bad requests that still passes at this n (None: none
    does), ``fail_least`` the smallest that fails. ``deciding_n`` is the number of requests at which
    the same bad share would decide, None when it sits on the objective or is already decided.
    """

    decision: Decision
    n: int
    bad: int
    objective: float
    pass_most: int | None
    fail_least: int
    deciding_n: int | None


def pass_most(n: int, objective: float) -> int | None:
    """The largest k with P(Bin(n, 1 - objective) <= k) <= 5 %; None when even 0 is not enough."""
    return binomial.largest_with_lower_tail(n, 1 - objective, ERROR_RATE)


def fail_least(n: int, objective: float) -> int:
    """The smallest k with P(Bin(n, 1 - objective) >= k) <= 5 %; n + 1 when no k fails."""
    return binomial.smallest_with_upper_tail(n, 1 - objective, ERROR_RATE)


def decide(n: int, bad: int, objective: float) -> Verdict:
    """Judge ``bad`` of ``n`` requests (failures are bad) against ``objective`` in (0, 1).

    PASS when so few bad ones would be unlikely (5 %) at exactly the objective, FAIL when so many
    would be. Raises ValueError unless 0 <= bad <= n.
    """
    if not 0 <= bad <= n:
        raise ValueError(f"{bad} bad of {n} requests is not possible")
    passing, failing = (pass_most(n, objective), fail_least(n, objective)) if n else (None, 1)
    decision = _decision(bad, passing, failing)
    deciding = None
    if decision is Decision.INCONCLUSIVE:
        deciding = _deciding_n(n, bad, objective)
    return Verdict(decision, n, bad, objective, passing, failing, deciding)


def _decision(bad: int, passing: int | None, failing: int) -> Decision:
    if passing is not None and bad <= passing:
        return Decision.PASS
    return Decision.FAIL if bad >= failing else Decision.INCONCLUSIVE


def _decided(n: int, share: float, objective: float) -> bool:
    bad = round(share * n)
    return _decision(bad, pass_most(n, objective), fail_least(n, objective)) is not Decision.INCONCLUSIVE


def _deciding_n(n: int, bad: int, objective: float) -> int | None:
    share = bad / n if n else 0.0
    if share == 1 - objective:
        return None
    low = high = max(n, 1)
    while not _decided(high, share, objective):
        low, high = high, high * 2
        if high > _MOST_N:
            return None
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if _decided(middle, share, objective) else (middle, high)
    return high
