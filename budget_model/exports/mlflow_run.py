"""What is published to MLflow as one run, whatever it is of: a budget, a check or a review."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from budget_model.domain.budget import Budget, SegmentValues
from budget_model.exports.mlflow_page import Table, html_page
from budget_model.exports.tables import budget_json

IDENTITY = "tailbudget.identity"
"""Tag by which a run is found again."""

LONGEST_NAME, LONGEST_VALUE = 250, 5_000
"""Characters of a run's name, and of a param or tag; the databases of servers refuse longer ones."""


class RunKind(StrEnum):
    """What a run is of."""

    BUDGET = "budget"
    CHECK = "check"
    LOAD_TEST = "load-test"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A text file of a run; ``path`` is relative, with ``/`` between folders."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. Made by ``run_record``, which leaves out what a server would not take."""

    kind: RunKind
    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    artifacts: tuple[Artifact, ...]

    @property
    def identity(self) -> str:
        """64 hexadecimal digits that are the same for the same content and for no other."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True, allow_nan=False)
        return hashlib.sha256(content.encode()).hexdigest()


def run_record(
    kind: RunKind,
    name: str,
    *,
    params: Mapping[str, object],
    metrics: Mapping[str, float | None],
    tags: Mapping[str, str],
    artifacts: Sequence[Artifact],
) -> RunRecord:
    """A record of what is known: a metric of None, or one that is no number, is left out.

    Nothing in it may depend on when it is published, or the same thing would be a new run each time.
    """
    return RunRecord(
        kind,
        _text(name, LONGEST_NAME),
        {key: _text(str(value)) for key, value in params.items()},
        {key: float(value) for key, value in metrics.items() if value is not None and math.isfinite(value)},
        {"tailbudget.kind": str(kind), **{key: _text(value) for key, value in tags.items()}},
        tuple(artifacts),
    )


def budget_record(budget: Budget) -> RunRecord:
    """A version of a budget: what was promised, line by line, and what it was derived from."""
    content, seen = budget.content, budget.content.evidence
    return run_record(
        RunKind.BUDGET,
        f"{RunKind.BUDGET} {budget.name} v{budget.version}",
        params=budget_params(budget),
        metrics={
            "target_ms": content.target_us / 1000,
            "evidence_n": seen.n,
            "evidence_failed": seen.failed,
            "evidence_e2e_ms": seen.observed_us / 1000,
            **{f"line_ms.{line.name}": line.us / 1000 for line in content.lines},
            **{f"own_limit_ms.{hop}": us / 1000 for hop, us in content.guard_limits_us.items()},
        },
        tags={**budget_tags(budget), "mlflow.note.content": _promise(budget)},
        artifacts=(Artifact("budget.json", budget_json(budget)), Artifact("budget.html", _page(budget))),
    )


def budget_params(budget: Budget) -> dict[str, object]:
    """What a version asks, as it stands on each of its runs."""
    content = budget.content
    return {
        "target_ms": f"{content.target_us / 1000:g}",
        "percentile": f"{content.q * 100:.6g}",
        "headroom": f"{content.headroom:g}",
        "strategy": content.strategy,
        "lines": ", ".join(f"{line.name} {line.us / 1000:g} ms" for line in content.lines),
    }


def budget_tags(budget: Budget) -> dict[str, str]:
    """What a version is called and applies to, as it stands on each of its runs."""
    return {
        "tailbudget.budget": budget.name,
        "tailbudget.version": str(budget.version),
        "tailbudget.segment": segment_words(budget.content.segment),
    }


def segment_words(segment: SegmentValues) -> str:
    """The traffic a budget applies to."""
    named = (f"{name}: {', '.join(one or 'not recorded' for one in values)}" for name, values in segment)
    return "; ".join(named) or "all production traffic"


def _promise(budget: Budget) -> str:
    content = budget.content
    return f"{content.q * 100:.6g} % of requests end well within {content.target_us / 1000:,g} ms."


def _page(budget: Budget) -> str:
    content, seen = budget.content, budget.content.evidence
    limits = {hop: f"{us / 1000:,.1f}" for hop, us in content.guard_limits_us.items()}
    rows = [(line.name, f"{line.us / 1000:,.3f}", limits.get(line.name, "")) for line in content.lines]
    sentences = (
        _promise(budget),
        f"Applies to {segment_words(content.segment)}.",
        f"Derived from {seen.n:,} ok requests ({seen.failed:,} failed beside them).",
    )
    steps = [(str(step.state), step.who, step.why) for step in budget.steps]
    return html_page(
        f"Budget {budget.name}, version {budget.version}",
        sentences,
        (Table(("line", "ms", "own limit, ms"), rows), Table(("step", "by", "reason"), steps)),
    )


def _text(value: str, most: int = LONGEST_VALUE) -> str:
    """Text that any database behind a server takes: no control characters, not too long."""
    plain = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in value)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
