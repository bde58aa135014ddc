"""How much of the present traffic is inside a target, and how sure that share is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budget_model.domain.binomial import proportion_interval
from budget_model.queries.selection import Selection


@dataclass(frozen=True, slots=True)
class Attainment:
    """Requests inside a target out of those that ended well with a time, or failed.

    A failed request is outside whatever it took. ``low`` and ``high`` are the exact 95 % interval
    of ``share``, which takes requests as independent. All three are None without requests.
    """

    target_us: int
    n: int
    late: int
    failed: int
    share: float | None
    low: float | None
    high: float | None

    @property
    def inside(self) -> int:
        """Requests that ended well in time."""
        return self.n - self.late - self.failed


def attainment(selection: Selection, target_us: int) -> Attainment:
    """The share of a selection's requests that end well within ``target_us``."""
    ordered = selection.sample("e2e_us").ordered
    late = len(ordered) - int(np.searchsorted(ordered, target_us, side="right"))
    n = len(ordered) + selection.failed
    if not n:
        return Attainment(target_us, 0, 0, 0, None, None, None)
    inside = n - late - selection.failed
    low, high = proportion_interval(inside, n)
    return Attainment(target_us, n, late, selection.failed, inside / n, low, high)
