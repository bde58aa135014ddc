"""Inter-token latency: every token step of every request in one pool, each step counted once.

A long answer weighs more than a short one here. That is what ``itl`` means, and why it is another
figure than the per-request ``tpot``.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from budget_model.domain.design_effect import BLOCKS, LEAST_BLOCK, DesignEffect, from_blocks, independent
from budget_model.domain.grade import grade
from budget_model.domain.order_interval import effective_rank_interval
from budget_model.domain.quantiles import value_at_rank, weighted_quantile
from budget_model.errors import StoreError
from budget_model.queries.catalog import still_counts, superseding_paths
from budget_model.queries.estimates import no_estimate
from budget_model.queries.results import Interval, QuantileEstimate
from budget_model.queries.selection import Selection
from budget_model.queries.table import RequestTable, TokenGaps
from budget_model.store.ledger import SegmentRef
from budget_model.store.schema import Kind
from budget_model.units import us_to_ms


@dataclass(frozen=True, slots=True)
class GapSample:
    """Token steps of the ok requests: in time order and sorted, shape (g,), with their weights."""

    gap_us: NDArray[np.int64]
    tokens: NDArray[np.int64]
    timed: int
    ordered: NDArray[np.int64]
    cumulated: NDArray[np.int64]
    requests: int

    @property
    def n(self) -> int:
        """Token steps in all."""
        return int(self.cumulated[-1]) if len(self.cumulated) else 0


def load_gaps(table: RequestTable) -> TokenGaps:
    """The generation's token gaps, read at the first question about them.

    Raises StoreError when a segment cannot be read.
    """
    with table.lock:
        kept: TokenGaps | None = table.memo.get("token gaps")
    if kept is None:
        try:
            kept = _read_gaps(table)
        except duckdb.Error as error:
            why = str(error).splitlines()[0]
            raise StoreError(f"stored token gaps cannot be read ({why}); run `tailbudget doctor`") from error
        with table.lock:
            table.memo["token gaps"] = kept
    return kept


def _read_gaps(table: RequestTable) -> TokenGaps:
    found = [_segment_gaps(table, ref) for ref in table.segments if ref.kind == Kind.TOKEN_GAPS]
    columns = np.concatenate([np.empty((3, 0), np.int64), *found], axis=1)
    positions, gap_us, tokens = columns[:, np.lexsort((columns[1], columns[0]))]
    return TokenGaps(positions, gap_us, tokens)


def _segment_gaps(table: RequestTable, ref: SegmentRef) -> NDArray[np.int64]:
    """Position, gap and tokens of one file's rows that still count, shape (3, g)."""
    condition, gone = still_counts(superseding_paths(table.segments, ref.generation))
    columns = table.fetch_arrays(
        f"SELECT r.rowid, t.gap_us, t.tokens FROM (SELECT * FROM read_parquet(?) WHERE {condition}) t"  # noqa: S608
        f" JOIN {table.name} r USING (request_id, trace_key) WHERE t.tokens > 0",
        [[str(ref.path)], *gone],
    )
    return np.stack([np.asarray(columns[name], np.int64) for name in ("rowid", "gap_us", "tokens")])


def gap_sample(selection: Selection) -> GapSample:
    """The token steps of the selection's ok requests."""
    gaps = load_gaps(selection.table)
    wanted = np.zeros(selection.table.size, bool)
    wanted[selection.ok] = True
    inside = wanted[gaps.positions]
    positions, gap_us, tokens = gaps.positions[inside], gaps.gap_us[inside], gaps.tokens[inside]
    order = np.argsort(gap_us, kind="stable")
    timed = int(np.searchsorted(positions, selection.table.timed))
    requests = len(np.unique(positions))
    return GapSample(gap_us, tokens, timed, gap_us[order], np.cumsum(tokens[order]), requests)


def gap_estimate(sample: GapSample, q: float) -> QuantileEstimate:
    """The percentile of the pooled token steps; n counts steps."""
    if not sample.n:
        return no_estimate(q)
    value = weighted_quantile(sample.ordered, sample.cumulated, q)
    effect = _effect(sample, value)
    ranks = effective_rank_interval(sample.n, effect.n_eff, q)
    ends = (ranks.low, ranks.high)
    low, high = (None if r is None else value_at_rank(sample.ordered, sample.cumulated, r) for r in ends)
    letter = grade(value, low, high, effect.n_eff, q)
    interval = Interval(us_to_ms(low), us_to_ms(high))
    return QuantileEstimate(q, us_to_ms(value), interval, sample.n, effect.n_eff, effect.blocks, letter)


def _effect(sample: GapSample, threshold: int) -> DesignEffect:
    tokens = sample.tokens[: sample.timed].astype(np.float64)
    if len(tokens) < BLOCKS * LEAST_BLOCK:
        return independent(sample.n)
    cumulated = np.cumsum(tokens)
    block = np.minimum((cumulated - tokens / 2) * BLOCKS / cumulated[-1], BLOCKS - 1).astype(np.int64)
    sizes = np.bincount(block, tokens, BLOCKS).astype(np.float64)
    above = np.bincount(block, tokens * (sample.gap_us[: sample.timed] > threshold), BLOCKS).astype(
        np.float64
    )
    return from_blocks(above, sizes, sample.n) if sizes.all() else independent(sample.n)
