"""PromQL for a budget's service level indicator: requests within the target, over all requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from budget_model.domain.budget import Budget

US_PER_S = 1_000_000

DEFAULT_HISTOGRAM = "gen_ai_server_request_duration_seconds"
"""The OpenTelemetry GenAI server duration, by the name the Prometheus exporter gives it."""

DEFAULT_LABELS: Mapping[str, str] = {
    "workload": "workload",
    "tenant": "tenant_id",
    "region": "cloud_region",
    "bucket": "prompt_bucket",
    "model": "gen_ai_request_model",
    "hardware": "hardware",
    "prompt": "prompt_version",
    "environment": "deployment_environment_name",
    "load_test": "load_test",
    "stage": "stage",
}


@dataclass(frozen=True, slots=True)
class MetricNames:
    """What the user's metrics are called; ``error_label`` is empty on requests that succeeded."""

    histogram: str = DEFAULT_HISTOGRAM
    error_label: str = "error_type"
    labels: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_LABELS))


def good_and_total(budget: Budget, names: MetricNames, window: str) -> tuple[str, str]:
    """Rates of good and of all requests over ``window`` (a Prometheus duration or a placeholder).

    A failed request counts in the total and never in the good ones. The target must be a bucket
    bound of the histogram, or the good rate is empty.
    """
    matchers = _matchers(budget, names)
    good = [*matchers, _bound(budget.content.target_us), f'{names.error_label}=""']
    return (
        f"sum(rate({names.histogram}_bucket{{{','.join(good)}}}[{window}]))",
        f"sum(rate({names.histogram}_count{{{','.join(matchers)}}}[{window}]))",
    )


def error_ratio(budget: Budget, names: MetricNames, window: str) -> str:
    """Share of bad requests over ``window``; no traffic is no errors, not NaN.

    Traffic without any good request is all errors: that a service never succeeded, or that the
    histogram lacks the bound, must burn and not look like quiet.
    """
    good, total = good_and_total(budget, names, window)
    return f"(1 - (({good} or on() vector(0)) / ({total} > 0))) or on() vector(0)"


def _bound(target_us: int) -> str:
    seconds, rest = divmod(target_us, US_PER_S)
    if rest:
        return f'le="{seconds}.{rest:06d}'.rstrip("0") + '"'
    # Prometheus 3 stores whole bounds as "5.0", earlier versions as the client wrote them.
    return f'le=~"{seconds}|{seconds}[.]0"'


def _matchers(budget: Budget, names: MetricNames) -> list[str]:
    return [
        f'{names.labels[dimension]}=~"{"|".join(_pattern(value) for value in values)}"'
        for dimension, values in budget.content.segment
    ]


def _pattern(value: str | None) -> str:
    # RE2 syntax inside a PromQL string: first the pattern's escapes, then the string's.
    escaped = re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", value or "")
    return escaped.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def slug(name: str) -> str:
    """A name as Kubernetes and Sloth accept it: lower-case letters, digits and dashes, at most 63."""
    dashed = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return dashed[:63].strip("-") or "budget"
