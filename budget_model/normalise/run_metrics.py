"""From the name of one metric to the figure it is: percentile and unit read, the value converted once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from budget_model.normalise.vocabulary.mlflow_runs import (
    AIPERF_FIGURES,
    AIPERF_LATENCIES,
    FIGURES,
    LABELS,
    LATENCIES,
    MS_PER_UNIT,
    PER_SHARE,
    SETTINGS,
    SHARES,
    SYSTEM_GPU,
)

Factor = tuple[str, float]
"""A figure's name and what the metric is multiplied with to be it."""

_STATISTIC = r"p\d{1,2}(?:_\d{1,3})?|p99\d{1,3}|mean|avg|average|median"
_FIRST = re.compile(rf"({_STATISTIC})_(.+)")
_LAST = re.compile(rf"(.+?)_({_STATISTIC})")
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,3})?)")
_TIME_FIELD = re.compile(rf"({'|'.join([*LATENCIES, 'first_answer'])})_(p\d{{1,2}}(\.\d{{1,3}})?|mean)_ms")
_GPU = re.compile(SYSTEM_GPU)


RUN_FIELDS = ", ".join([*LABELS, *SETTINGS, *FIGURES, *SHARES, "ttft_p99_ms and the like"])
"""What the user may give names for."""


def is_run_field(field: str) -> bool:
    """Whether a run can have a field of this name.

    >>> is_run_field("token_budget"), is_run_field("tbt_p99.9_ms"), is_run_field("p99")
    (True, True, False)
    """
    plain_field = any(field in table for table in (LABELS, SETTINGS, FIGURES, SHARES))
    return plain_field or _TIME_FIELD.fullmatch(field) is not None


def plain(name: str) -> str:
    """A name in small letters with ``_`` for every other sign.

    >>> plain("loadgen.request-rate")
    'loadgen_request_rate'
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _turned(table: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {name: meaning for meaning, names in table.items() for name in names}


_LATENCY_OF, _FIGURE_OF, _SHARE_OF = _turned(LATENCIES), _turned(FIGURES), _turned(SHARES)


def figure_of(name: str, *, is_aiperf: bool) -> Factor | None:
    """The figure a metric is, None for a metric without a meaning here.

    >>> figure_of("p99_ttft_ms", is_aiperf=False), figure_of("e2e.p99.9.seconds", is_aiperf=False)
    (('ttft_p99_ms', 1.0), ('e2e_p99.9_ms', 1000.0))
    """
    if is_aiperf and (found := _of_aiperf(name)) is not None:
        return found
    told = plain(name)
    if told in _FIGURE_OF:
        return _FIGURE_OF[told], 1.0
    if _GPU.fullmatch(told):
        return "gpu_utilisation", 0.01
    return _share(told) or _latency(told)


def as_field(name: str, field: str) -> Factor:
    """A metric that the user says is this figure; the unit is the field's unless the name tells one."""
    told = plain(name)
    if field in SHARES:
        return field, PER_SHARE.get(told.rpartition("_")[2], 1.0)
    return field, (with_unit(told)[1] or 1.0) if _TIME_FIELD.fullmatch(field) else 1.0


def with_unit(name: str) -> tuple[str, float]:
    """A name without the unit of time at its end, and the milliseconds in it; 0 when it tells none."""
    base, _, last = name.rpartition("_")
    return (base, MS_PER_UNIT[last]) if last in MS_PER_UNIT else (name, 0.0)


def _of_aiperf(name: str) -> Factor | None:
    if name in AIPERF_FIGURES:
        return AIPERF_FIGURES[name]
    base, _, statistic = name.partition(".")
    latency = AIPERF_LATENCIES.get(base)
    if latency is None:
        return None
    if statistic == "count":
        return f"{latency}_n", 1.0
    if statistic in ("", "avg"):
        return f"{latency}_mean_ms", 1.0
    return (f"{latency}_{statistic}_ms", 1.0) if _PERCENTILE.fullmatch(statistic) else None


def _share(told: str) -> Factor | None:
    base, _, ending = told.rpartition("_")
    return (_SHARE_OF[base], PER_SHARE[ending]) if base in _SHARE_OF and ending in PER_SHARE else None


def _latency(told: str) -> Factor | None:
    base, factor = with_unit(told)
    if first := _FIRST.fullmatch(base):
        statistic, base = first.groups()
    elif last := _LAST.fullmatch(base):
        base, statistic = last.groups()
    else:
        return None
    if not factor:
        base, factor = with_unit(base)
    latency = _LATENCY_OF.get(base)
    return (f"{latency}_{_statistic(statistic)}_ms", factor) if latency and factor else None


def _statistic(told: str) -> str:
    if not told.startswith("p"):
        return "p50" if told == "median" else "mean"
    digits = told[1:].replace("_", ".")
    return f"p{digits}" if len(digits) <= 2 or "." in digits else f"p{digits[:2]}.{digits[2:]}"
