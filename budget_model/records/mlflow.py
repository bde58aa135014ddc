"""What a connection to MLflow yields, whichever way it is read.

A trace crosses as the JSON line in which it is then imported (format ``mlflow-trace``), so that a
synced trace and an exported file go the same way. Times are UTC milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

IN_PROGRESS = "IN_PROGRESS"
"""State of a trace whose root span has not ended."""

MOST_PROMPT_CHARS = 100_000
"""The longest text of a prompt that is read, which is also the longest that MLflow takes."""


class Origin(msgspec.Struct, frozen=True):
    """Where the data is. ``address`` holds no credentials and is what people are shown.

    ``kind`` is api, sqlite or postgresql. ``pages`` is the base address of MLflow's own pages, ""
    when only a database is known. ``note`` says why a slower way was taken or what could not be asked,
    "" when nothing is to be said.
    """

    address: str
    kind: str
    pages: str = ""
    note: str = ""


class Experiment(msgspec.Struct, frozen=True):
    """An experiment that is not deleted."""

    id: str
    name: str


class TraceHead(msgspec.Struct, frozen=True):
    """What MLflow tells of a trace without its spans. ``info`` is the JSON object it said it in."""

    trace_id: str
    experiment_id: str
    start_ms: int
    state: str
    info: bytes


class TraceDocument(msgspec.Struct, frozen=True):
    """One trace with its spans; ``line`` is one line of JSON without a newline."""

    head: TraceHead
    line: bytes


class Run(msgspec.Struct, frozen=True):
    """One run; ``metrics`` are the last values. NaN and infinities are kept as they came."""

    run_id: str
    experiment_id: str
    name: str
    status: str
    lifecycle: str  # active or deleted
    start_ms: int | None
    end_ms: int | None
    metrics: dict[str, float]
    params: dict[str, str]
    tags: dict[str, str]


class History(msgspec.Struct, frozen=True):
    """The first points of one metric, (step, value), in the order of their times.

    ``is_cut`` says that there are more, which were not read. NaN and infinities are kept.
    """

    points: list[tuple[int, float]]
    is_cut: bool


class PromptVersion(msgspec.Struct, frozen=True):
    """One version of a prompt in a registry.

    ``text`` is the template, or JSON of its messages when ``is_chat``; None when its ``chars`` are more
    than ``MOST_PROMPT_CHARS``. ``created_ms`` is None when the registry does not say.
    """

    name: str
    version: str
    text: str | None
    chars: int
    is_chat: bool
    created_ms: int | None


class MlflowStore(Protocol):
    """An open connection to traces, runs and prompts, read only.

    Every method raises RemoteError with one sentence.
    """

    @property
    def origin(self) -> Origin:
        """Where this reads."""

    def experiments(self) -> list[Experiment]:
        """Experiments that are not deleted."""

    def heads(self, experiment_ids: Sequence[str], since_ms: int) -> Iterator[list[TraceHead]]:
        """Pages of traces that began at ``since_ms`` or later, the earliest first."""

    def heads_of(self, trace_ids: Sequence[str]) -> list[TraceHead]:
        """Those of the traces that still exist."""

    def documents(self, heads: Sequence[TraceHead]) -> Iterator[TraceDocument]:
        """The traces with their spans; one that was deleted in between is left out."""

    def runs(self, experiment_ids: Sequence[str]) -> Iterator[list[Run]]:
        """Pages of runs, deleted ones included."""

    def history(self, run_id: str, metric: str, limit: int) -> History:
        """At most ``limit`` points of one metric, read within bounded memory and time."""

    def prompts(self) -> Iterator[list[PromptVersion]]:
        """Pages of prompt versions of the registry, those deleted left out."""

    def close(self) -> None:
        """Give up connections."""
