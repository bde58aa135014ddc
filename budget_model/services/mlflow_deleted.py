"""Traces that a source had and has no more. They stay in the figures; only their row says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from budget_model.records.mlflow import MlflowStore, TraceHead
from budget_model.store.mlflow_catalog import MlflowCatalog, SeenTrace


class Missing:
    """Follows a scan, and tells which traces should have been met in it and do not exist.

    ``after(page)`` is to be called for each page in the order of starts and ``at_end`` behind the
    last; both yield pages of traces that are gone. Whatever a scan did not meet is asked for by id,
    so traces that moved are never taken for deleted ones. Holds the ids of one page.
    """

    def __init__(
        self,
        catalog: MlflowCatalog,
        store: MlflowStore,
        source_id: int,
        experiment_ids: Sequence[str],
        from_ms: int,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self._source_id = source_id
        self._experiment_ids = experiment_ids
        self._low = from_ms
        self._met: dict[str, int] = {}

    def after(self, page: Sequence[TraceHead]) -> Iterator[list[SeenTrace]]:
        """Traces gone that began before the page's last."""
        self._met.update((head.trace_id, head.start_ms) for head in page)
        high = max((head.start_ms for head in page), default=self._low)
        yield from self._gone(high)
        self._low = max(self._low, high)
        self._met = {one: start for one, start in self._met.items() if start >= self._low}

    def at_end(self) -> Iterator[list[SeenTrace]]:
        """Traces gone that began with the scan's last trace or later."""
        yield from self._gone(None)

    def _gone(self, below_ms: int | None) -> Iterator[list[SeenTrace]]:
        expected = self._catalog.expected(self._source_id, self._experiment_ids, self._low, below_ms)
        for page in expected:
            gone = not_there(self._store, [one for one in page if one.trace_id not in self._met])
            if gone:
                yield gone


def not_there(store: MlflowStore, traces: Sequence[SeenTrace]) -> list[SeenTrace]:
    """Those of the traces that the source does not have."""
    if not traces:
        return []
    there = {head.trace_id for head in store.heads_of([one.trace_id for one in traces])}
    return [one for one in traces if one.trace_id not in there]
