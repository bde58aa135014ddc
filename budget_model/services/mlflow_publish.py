"""Records published to MLflow as runs: each once, however often it is published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from budget_model.errors import SettingsError
from budget_model.exports.mlflow_client import Api, ExperimentRuns
from budget_model.exports.mlflow_client import PublishedRun as PublishedRun
from budget_model.exports.mlflow_run import RunRecord
from budget_model.services.clock import now_us
from budget_model.services.import_report import Progress
from budget_model.services.mlflow_server import opened_server
from budget_model.settings import Login
from budget_model.units import US_PER_MS

EXPERIMENT = "tailbudget"

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Following:
    """Who is told how far the work is, and who may end it."""

    on_progress: OnProgress | None = None
    cancel: Event | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether the work is to end."""
        return self.cancel is not None and self.cancel.is_set()

    def tell(self, words: str, done: int, total: int) -> None:
        """Say in words what comes next, ``done`` steps of ``total`` behind it."""
        if self.on_progress is not None:
            self.on_progress(Progress("publishing", "", done, total, 0, 0.0, None, words))


def publish_records(
    login: Login,
    uri: str,
    records: Sequence[RunRecord],
    experiment: str = EXPERIMENT,
    following: Following | None = None,
) -> tuple[PublishedRun, ...]:
    """Publish records in their order; fewer runs than records mean that it was cancelled in between.

    Raises SettingsError for an address or a name of an experiment that cannot be used, RemoteError
    when the server fails; the runs before are kept, and publishing again goes on from there.
    """
    with opened_server(uri, login) as api:
        return publish_to(api, records, experiment, following or Following())


def publish_to(
    api: Api, records: Sequence[RunRecord], experiment: str, following: Following
) -> tuple[PublishedRun, ...]:
    """``publish_records`` over a connection that is open."""
    runs = ExperimentRuns(api, check_experiment(experiment))
    published: list[PublishedRun] = []
    for number, record in enumerate(records):
        if following.is_stopped:
            break
        following.tell(f"Publishing {record.name}", number, len(records))
        published.append(runs.publish(record, now_us() // US_PER_MS))
    return tuple(published)


def check_experiment(name: str) -> str:
    """The name of an experiment. Raises SettingsError when it cannot be looked for."""
    named = name.strip()
    if not named or "'" in named or "\\" in named or not named.isprintable():
        raise SettingsError(
            f"experiment {name!r}: a name without apostrophes, backslashes and control characters is accepted"
        )
    return named
