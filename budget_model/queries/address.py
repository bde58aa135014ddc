"""A filter as query parameters of an address and back, without loss for any text.

A dimension is one parameter a value (``tenant=acme&tenant=globex``); ``~`` stands for "not
recorded" and a tilde of the data is doubled. Percent-encoding is left to whoever writes the address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from budget_model.errors import FilterError
from budget_model.queries.filters import DIMENSIONS, NONE_TOKEN, Filter
from budget_model.queries.times import format_time_us, parse_time_us

SINCE, UNTIL = "since", "until"
TIMES = {SINCE: "since_us", UNTIL: "until_us"}

PARAMETERS: frozenset[str] = frozenset((*DIMENSIONS, *TIMES))
"""The parameters a filter is written in; an address may hold others, which are its page's own."""


def encode(chosen: Filter) -> dict[str, list[str]]:
    """The filter's parameters; what restricts nothing is left out.

    >>> encode(Filter(tenant=("acme", None), since_us=1_764_547_200_000_000))
    {'tenant': ['acme', '~'], 'since': ['2025-12-01T00:00Z']}
    """
    found = {name: [_to_text(value) for value in getattr(chosen, name)] for name in DIMENSIONS}
    for name, field in TIMES.items():
        time_us = getattr(chosen, field)
        found[name] = [] if time_us is None else [format_time_us(time_us)]
    return {name: values for name, values in found.items() if values}


def decode(parameters: Mapping[str, Sequence[str]], now_us: int | None = None) -> Filter:
    """The filter in an address; parameters that are no part of a filter are the page's own.

    Raises FilterError with a sentence for every value that cannot be used.
    """
    chosen, faults = _read(parameters, now_us)
    if faults:
        raise FilterError("; ".join(f"{fault.field}: {fault.why}" for fault in faults))
    return chosen


def decode_leniently(
    parameters: Mapping[str, Sequence[str]], now_us: int | None = None, known: frozenset[str] = frozenset()
) -> tuple[Filter, list[str]]:
    """The usable part of an address, with a sentence for every part left out.

    ``known`` names parameters that are the page's own; any other unknown name is a complaint.
    """
    complaints = [f"There is no filter {name!r}." for name in sorted({*parameters} - PARAMETERS - known)]
    chosen, faults = _read(parameters, now_us)
    return chosen, [*complaints, *(f"The filter {f.field} is left out: {f.why}." for f in faults)]


@dataclass(frozen=True, slots=True)
class _Fault:
    """A part that cannot be used and why; whether it is refused or left out is for the reader to say."""

    field: str
    why: str


def _read(parameters: Mapping[str, Sequence[str]], now_us: int | None) -> tuple[Filter, list[_Fault]]:
    faults: list[_Fault] = []
    chosen = Filter()
    for name in DIMENSIONS:
        values = dict.fromkeys(_from_text(text) for text in parameters.get(name, ()))
        chosen = chosen.with_values(name, tuple(values))
    times = {name: _time(name, parameters.get(name, ()), now_us, faults) for name in TIMES}
    since_us, until_us = times[SINCE], times[UNTIL]
    if since_us is not None and until_us is not None and since_us >= until_us:
        why = f"{SINCE} is not before {UNTIL}; an earlier {SINCE} or a later {UNTIL} is accepted"
        faults.append(_Fault(f"{SINCE} to {UNTIL}", why))
        since_us = until_us = None
    return chosen.with_times(since_us, until_us), faults


def _time(name: str, values: Sequence[str], now_us: int | None, faults: list[_Fault]) -> int | None:
    if not values:
        return None
    if len(values) > 1:
        faults.append(_Fault(name, f"it is given {len(values)} times; one is accepted"))
        return None
    try:
        return parse_time_us(values[0], now_us)
    except FilterError as refusal:
        faults.append(_Fault(name, str(refusal)))
        return None


def _to_text(value: str | None) -> str:
    return NONE_TOKEN if value is None else value.replace(NONE_TOKEN, NONE_TOKEN * 2)


def _from_text(text: str) -> str | None:
    return None if text == NONE_TOKEN else text.replace(NONE_TOKEN * 2, NONE_TOKEN)
