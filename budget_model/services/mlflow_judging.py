"""What is to be done with a trace that MLflow tells of, given what was seen of it before."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from enum import StrEnum

from budget_model.records.mlflow import IN_PROGRESS, TraceHead
from budget_model.store.mlflow_catalog import DELETED, KNOWN, WAITING, SeenTrace


class Verdict(StrEnum):
    """``WANTED`` is read with its spans; the others are done with."""

    WANTED = "wanted"
    WAITING = "waiting"
    UNCHANGED = "unchanged"


def judge(head: TraceHead, known: SeenTrace | None, settled_below_ms: int) -> Verdict:
    """One trace. Those that began before ``settled_below_ms`` are read again only if their info changed.

    Later ones are, whatever the info says: spans that come late need not change it.
    """
    if head.state == IN_PROGRESS:
        return Verdict.WAITING
    is_same = known is not None and known.state == KNOWN and known.info_digest == digest_of(head.info)
    return Verdict.UNCHANGED if is_same and head.start_ms < settled_below_ms else Verdict.WANTED


def waiting_row(head: TraceHead, known: SeenTrace | None, now_us: int) -> SeenTrace | None:
    """The row of a trace that has not ended; None when the ledger says so already."""
    info = digest_of(head.info)
    if known is None:
        return SeenTrace(head.trace_id, head.experiment_id, head.start_ms, info, "", 0, WAITING, now_us)
    if known.state == WAITING:
        return None
    return replace(known, state=WAITING, info_digest=info, noticed_us=now_us)


def read_row(head: TraceHead, known: SeenTrace | None, line: bytes, now_us: int) -> SeenTrace:
    """The row of a trace that was read; it has the ``seen`` of before when its document is the same."""
    digest = digest_of(line)
    before = 0 if known is None else known.seen
    is_same = known is not None and known.digest == digest
    return SeenTrace(
        head.trace_id,
        head.experiment_id,
        head.start_ms,
        digest_of(head.info),
        digest,
        before if is_same else max(now_us // 1000, before + 1),
        KNOWN,
        known.noticed_us if known is not None and is_same and known.state == KNOWN else now_us,
    )


def gone_row(known: SeenTrace, now_us: int) -> SeenTrace:
    """The row of a trace that the source has no more."""
    return replace(known, state=DELETED, noticed_us=now_us)


def digest_of(content: bytes) -> str:
    """Thirty-two hex digits that differ when the content does."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
