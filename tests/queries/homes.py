"""Small stores for the tests of the read side: facts in, an engine over real segments out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.domain.hops import HOPS, MEASURED_HOPS
from budget_model.queries.engine import Engine, Limits
from budget_model.records.spans import Span
from budget_model.services.figures import Figures
from budget_model.settings import DEFAULT_BUCKET_EDGES
from budget_model.store.ledger import Changes, SegmentRef
from budget_model.store.schema import SCHEMAS, Kind
from budget_model.store.tables import spans_table

Row = dict[str, Any]

START_US = 1_764_547_200_000_000  # 2025-12-01 00:00 UTC, a Monday
DIMENSION_FIELDS = ("workload", "tenant", "region", "model", "hardware", "environment", "load_test", "stage")


def request(
    request_id: str, e2e_ms: float | None = None, *, hops: Mapping[str, float] | None = None, **fields: Any
) -> Row:
    """One request's row; ``hops`` are path and wall times in ms, and e2e their sum unless given."""
    hops_us = {name: round(ms * 1000) for name, ms in (hops or {}).items()}
    e2e_us = sum(hops_us.values()) if e2e_ms is None and hops_us else None
    row: Row = dict.fromkeys(SCHEMAS[Kind.REQUESTS].names)
    row |= {
        "request_id": request_id,
        "trace_id": f"trace-{request_id}",
        "trace_key": hash_key(request_id),
        "root_span_id": "",
        "root_name": "",
        "source_kind": "row",
        "outcome": "ok",
        "attempts": 1,
        "span_count": 0,
        "error_span_count": 0,
        "flags": 0,
        "digest": 0,
        "e2e_us": e2e_us if e2e_ms is None else round(e2e_ms * 1000),
    }
    row |= {f"path_{hop}_us": hops_us.get(hop) for hop in HOPS}
    row |= {f"wall_{hop}_us": hops_us.get(hop) for hop in MEASURED_HOPS}
    return row | fields


def hash_key(text: str) -> int:
    """A stable number for a trace."""
    return int.from_bytes(text.encode()[-7:], "big")


@dataclass
class Store:
    """A ledger of segments written by the test; stands in for the real one."""

    folder: Path
    refs: list[SegmentRef] = field(default_factory=list)
    newest: int = 0

    def add(
        self,
        rows: Sequence[Row],
        *,
        gaps: Iterable[tuple[str, int, int]] = (),
        superseded: Iterable[str] = (),
        spans: Sequence[Span] = (),
    ) -> None:
        """One import: requests, token gaps (request, gap_us, tokens), requests it replaces."""
        self.newest += 1
        self._write(Kind.REQUESTS, rows)
        gap_rows = [
            {"request_id": r, "trace_key": hash_key(r), "gap_us": gap, "tokens": tokens}
            for r, gap, tokens in gaps
        ]
        self._write(Kind.TOKEN_GAPS, gap_rows)
        if spans:
            keys = np.asarray([hash_key(span.trace_id.removeprefix("trace-")) for span in spans], np.int64)
            self._keep(Kind.SPANS, spans_table(spans, keys))
        self._write(Kind.SUPERSEDED, [{"trace_key": hash_key(r)} for r in superseded])

    def _write(self, kind: Kind, rows: Sequence[Row]) -> None:
        if rows:
            self._keep(kind, pa.Table.from_pylist(list(rows), schema=SCHEMAS[kind]))

    def _keep(self, kind: Kind, table: pa.Table) -> None:
        path = self.folder / f"{kind}-{self.newest}.parquet"
        pq.write_table(table, path)
        self.refs.append(SegmentRef(path, kind, table.num_rows, self.newest, self.newest))

    def generation(self) -> int:
        return self.newest

    def segments(self, since_generation: int | None, kind: Kind | str) -> list[SegmentRef]:
        return [ref for ref in self.refs if ref.kind == kind and ref.generation > (since_generation or 0)]

    def changes(self, since_generation: int | None) -> Changes:
        newer = [ref for ref in self.refs if ref.generation > (since_generation or 0)]
        return Changes(self.newest, since_generation is None, tuple(newer))

    def engine(self) -> Engine:
        return Engine(self, Limits(self.folder, 2, 1024, DEFAULT_BUCKET_EDGES))

    def figures(self) -> Figures:
        return Figures(self.engine())
