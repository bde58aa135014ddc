"""Failed requests in a percentile: each is slower than any target."""

from __future__ import annotations

from budget_model.domain.quantiles import nearest_rank


def share_of_ok(q: float, n_ok: int, n_failed: int) -> float | None:
    """The quantile of ``n_ok`` ok requests that is quantile ``q`` (0 < q < 1) of all, failed ones as +inf.

    With k = ceil(n q) of the n = n_ok + n_failed requests it is k / n_ok, and exactly ``q`` where none
    failed. None where no ok request has a rank so high, or only the slowest: then nothing bounds it.
    """
    if n_failed == 0:
        return q
    rank = nearest_rank(n_ok + n_failed, q)
    return rank / n_ok if rank < n_ok else None
