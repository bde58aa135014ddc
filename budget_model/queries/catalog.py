"""What the read side asks of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from budget_model.store.ledger import Changes, SegmentRef
from budget_model.store.schema import Kind


class Catalog(Protocol):
    """Whatever knows the store's generations; ``store.ledger.Ledger`` does."""

    def generation(self) -> int:
        """The newest generation."""
        ...

    def changes(self, since_generation: int | None) -> Changes:
        """What a reader at a generation must apply to be up to date."""
        ...

    def segments(self, since_generation: int | None, kind: Kind | str) -> list[SegmentRef]:
        """Visible segments of a kind."""
        ...


def paths_of(segments: Sequence[SegmentRef], kind: Kind, generation: int) -> list[str]:
    """Files of one kind that were written in exactly this generation."""
    return [str(ref.path) for ref in segments if ref.kind == kind and ref.generation == generation]


def superseding_paths(segments: Sequence[SegmentRef], generation: int) -> list[str]:
    """Files of trace keys whose rows written in ``generation`` no longer count."""
    return [str(ref.path) for ref in segments if ref.kind == Kind.SUPERSEDED and ref.generation > generation]


def still_counts(superseding: Sequence[str]) -> tuple[str, list[list[str]]]:
    """A condition, with its bound values, that leaves out superseded rows."""
    if not superseding:
        return "TRUE", []
    return "trace_key NOT IN (SELECT trace_key FROM read_parquet(?))", [list(superseding)]
