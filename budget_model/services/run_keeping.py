"""Runs that were read, judged against what is known of them and written down."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

import msgspec

from budget_model.normalise.mlflow_run import Names, point_of
from budget_model.records.mlflow import Run
from budget_model.records.rejects import BadRecordError, Reject
from budget_model.records.runs import RunPoint
from budget_model.services.run_counts import RunCounts
from budget_model.store.run_catalog import DELETED, IN_PROGRESS, KNOWN, REJECTED, RunCatalog, StoredRun


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs are read: a source's public address and its pages, both "" for a file.

    ``names`` are those the user gave to what runs log, by field.
    """

    source: str = ""
    pages: str = ""
    names: Names = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of some runs, and why those refused were."""

    counts: RunCounts
    rejects: tuple[Reject, ...] = ()


def keep(catalog: RunCatalog, runs: Sequence[Run], place: Place, now_us: int) -> Kept:
    """Write what is new or changed of the runs, in one transaction. Raises StoreError.

    A run that came from a server is not changed by a file.
    """
    known = catalog.known([one.run_id for one in runs])
    counts, rejects, changed = Counter[str](read=len(runs)), list[Reject](), dict[str, StoredRun]()
    for run in runs:
        row, reject = _row(run, place, now_us)
        before = known.get(run.run_id)
        verdict = _verdict(row, before)
        counts[verdict] += 1
        counts["in_progress"] += row.state == IN_PROGRESS
        if reject is not None:
            rejects.append(reject)
        if verdict == "accepted":
            counts["updated"] += before is not None
            counts["deleted"] += row.state == DELETED and before is not None
            counts["not_finite"] += row.not_finite
        if run.run_id and _is_worth_writing(row, before):
            known[run.run_id] = changed[run.run_id] = row
    catalog.put(list(changed.values()))
    return Kept(RunCounts(**counts), tuple(rejects))


def _verdict(row: StoredRun, before: StoredRun | None) -> str:
    if row.state == REJECTED:
        return "rejected"
    return "duplicates" if before is not None and not _differs(row, before) else "accepted"


def _differs(row: StoredRun, before: StoredRun) -> bool:
    return row.digest != before.digest and not (before.source and not row.source)


def _is_worth_writing(row: StoredRun, before: StoredRun | None) -> bool:
    if before is None or _differs(row, before):
        return True
    # The same run, now known to lie on a server where it can be looked at.
    return bool(row.source) and (row.source, row.pages) != (before.source, before.pages)


def _row(run: Run, place: Place, now_us: int) -> tuple[StoredRun, Reject | None]:
    try:
        point = point_of(run, place.names)
    except BadRecordError as refusal:
        bare = RunPoint(
            run.run_id, run.experiment_id, run.name.replace("\0", "")[:500], run.status, run.lifecycle
        )
        row = replace(_stored(bare, place, now_us), state=REJECTED, reason=refusal.reason)
        return _digested(row), refusal.at(f"run {run.run_id or run.name!r}")
    return _digested(_stored(point, place, now_us)), None


def _stored(point: RunPoint, place: Place, now_us: int) -> StoredRun:
    state = IN_PROGRESS if point.is_in_progress else KNOWN
    if point.lifecycle == DELETED:
        state = DELETED
    return StoredRun(
        **msgspec.structs.asdict(point),
        source=place.source,
        pages=place.pages,
        state=state,
        digest="",
        noticed_us=now_us,
    )


def _digested(row: StoredRun) -> StoredRun:
    """The row with a digest of all that was read, wherever it was."""
    told = asdict(replace(row, source="", pages="", noticed_us=0))
    content = msgspec.json.encode(told, order="deterministic")
    return replace(row, digest=hashlib.blake2b(content, digest_size=16).hexdigest())
