"""Reading a file in parts: what each format's source yields, through its normaliser, in batches.

A part can be sent to another process. Reading a part is bounded in memory by one batch and one
record; a part that raises SourceError belongs to a file that is not whole, and nothing read from
that file may be kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from budget_model.errors import FilterError, SourceError
from budget_model.records.facts import RequestFact, TokenGap
from budget_model.records.raw import SET_PREFIX, SETTABLE, Normalised, Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Reject, Warned
from budget_model.records.spans import Attributes, Span
from budget_model.services.formats import reader_of
from budget_model.sources import lines
from budget_model.sources.detect import Detected, detect

Part = Piece
"""A file, or a byte range of a file of lines; picklable."""

_MIN_PART_BYTES = 1024 * 1024


class Batch(msgspec.Struct):
    """Up to ``batch_records`` records read. ``records`` is always ``accepted`` plus ``len(rejects)``.

    ``bytes_read`` is how far this part is into its bytes on disk after this batch, for progress.
    """

    spans: list[Span]
    facts: list[RequestFact]
    gaps: list[TokenGap]
    rejects: list[Reject]
    warnings: list[Warned]
    records: int = 0
    accepted: int = 0
    bytes_read: int = 0


def plan(path: Path, *, format: str | None = None, parts: int = 1) -> list[Part]:
    """The parts to read a file in: at most ``parts``, and one where the file cannot be cut.

    Raises UnknownFormatError or SourceError as ``detect`` does.
    """
    return plan_detected(detect(path, format), parts)


def plan_detected(detected: Detected, parts: int) -> list[Part]:
    """As ``plan``, for a file that was recognised before."""
    piece = detected.piece()
    if not reader_of(piece.format).can_cut or piece.container != "jsonl":
        return [piece]
    return lines.cut(piece, detected.size, min(parts, detected.size // _MIN_PART_BYTES + 1))


def read_part(part: Part, options: ReadOptions, batch_records: int = 100_000) -> Iterator[Batch]:
    """The part's records in batches of about ``batch_records``; the last batch may be empty.

    Raises FilterError when a dimension to set is unknown, and SourceError (UnsafeInputError) when the
    file turns out not to be whole or safe; batches yielded before must then be thrown away.
    """
    unknown = sorted(set(options.set_dimensions) - set(SETTABLE))
    if unknown:
        raise FilterError(f"{unknown[0]!r} cannot be set for a file; accepted are {', '.join(SETTABLE)}")
    try:
        yield from _read_part(part, options, batch_records)
    except OSError as error:
        name = Path(part.path).name
        raise SourceError(
            f"{name}: cannot be read to its end ({error.strerror}); nothing of it was imported"
        ) from error


def _read_part(part: Part, options: ReadOptions, batch_records: int) -> Iterator[Batch]:
    reader = reader_of(part.format)
    sort = _Sorter(options.set_dimensions)
    for item in reader.read(part, options):
        if isinstance(item, RawRecord):
            sort.batch.bytes_read = item.bytes_read
            sort.put_all(reader.normalise(item, options))
        else:
            sort.put(item)
        if sort.batch.records >= batch_records:
            yield sort.take()
    sort.batch.bytes_read = (part.stop or Path(part.path).stat().st_size) - part.start
    yield sort.take()


class _Sorter:
    """Puts what comes out of a normaliser where it belongs, and the given dimensions on it."""

    def __init__(self, set_dimensions: dict[str, str]) -> None:
        self._set = set_dimensions
        self._marks = {SET_PREFIX + name: value for name, value in set_dimensions.items()}
        self._resources: dict[int, tuple[Attributes, Attributes]] = {}
        self._warned: dict[str, Warned] = {}
        self.batch = _empty()

    def put_all(self, items: Iterable[Normalised]) -> None:
        """As ``put`` for each; spans without marks, which are nearly everything, take a short way."""
        spans = self.batch.spans
        before = len(spans)
        for item in items:
            if type(item) is Span and not self._marks:
                spans.append(item)
            else:
                self.put(item)
        if not self._marks:
            self.batch.records += len(spans) - before
            self.batch.accepted += len(spans) - before

    def put(self, item: Normalised | Sourced) -> None:
        batch = self.batch
        if isinstance(item, Span):
            if self._marks:
                item.resource = self._marked(item.resource)
            batch.spans.append(item)
        elif isinstance(item, RequestFact):
            for name, value in self._set.items():
                setattr(item, name, value)
            batch.facts.append(item)
        elif isinstance(item, TokenGap):
            batch.gaps.append(item)
            return
        elif isinstance(item, Warned):
            self._warn(item)
            return
        elif isinstance(item, Reject):
            batch.rejects.append(item)
            batch.records += 1
            return
        batch.records += 1
        batch.accepted += 1

    def take(self) -> Batch:
        done, self.batch = self.batch, _empty()
        done.warnings = list(self._warned.values())
        self._warned = {}
        self._resources = {}
        return done

    def _warn(self, item: Warned) -> None:
        known = self._warned.setdefault(item.code, Warned(item.code, 0, item.example))
        known.count += item.count

    def _marked(self, resource: Attributes) -> Attributes:
        """One copy with the marks for each resource dict; the original is held so its id stays its own."""
        known = self._resources.get(id(resource))
        if known is None:
            known = self._resources[id(resource)] = (resource, resource | self._marks)
        return known[1]


def _empty() -> Batch:
    return Batch([], [], [], [], [])
