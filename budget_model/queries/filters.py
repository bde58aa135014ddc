"""The one filter value that every query takes and every page keeps in its address."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

DIMENSIONS: tuple[str, ...] = (
    "workload",
    "tenant",
    "region",
    "bucket",
    "model",
    "hardware",
    "prompt",
    "environment",
    "load_test",
    "stage",
)
"""What figures can be split by. ``bucket`` is the prompt bucket, ``prompt`` is ``name@version``."""

NONE_TOKEN = "~"
"""How "not recorded" is written where a dimension's value is text; a real ``~`` is doubled."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which requests a figure is about.

    A dimension's tuple is a set of accepted values, empty for all; None inside it stands for
    requests that do not carry the dimension. ``since_us`` is inclusive and ``until_us`` exclusive,
    in UTC microseconds. With ``load_test`` empty, load tests are left out: they are not traffic.
    """

    workload: tuple[str | None, ...] = ()
    tenant: tuple[str | None, ...] = ()
    region: tuple[str | None, ...] = ()
    bucket: tuple[str | None, ...] = ()
    model: tuple[str | None, ...] = ()
    hardware: tuple[str | None, ...] = ()
    prompt: tuple[str | None, ...] = ()
    environment: tuple[str | None, ...] = ()
    load_test: tuple[str | None, ...] = ()
    stage: tuple[str | None, ...] = ()
    since_us: int | None = None
    until_us: int | None = None

    def with_values(self, dimension: str, values: tuple[str | None, ...]) -> Self:
        """A copy that accepts ``values`` in ``dimension``."""
        return replace(self, **{dimension: values})  # type: ignore[arg-type]

    def with_times(self, since_us: int | None, until_us: int | None) -> Self:
        """A copy over requests started in ``[since_us, until_us)``; None leaves that end open."""
        return replace(self, since_us=since_us, until_us=until_us)

    def active(self) -> tuple[str, ...]:
        """Names of the fields that restrict anything."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) not in ((), None))


EVERYTHING = Filter()
"""All production traffic."""
