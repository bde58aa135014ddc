"""The numbers that a budget can hold at all."""

from __future__ import annotations

from collections.abc import Iterator

MOST = 2**53
"""Up to here a float counts every whole number: of microseconds, 285 years."""


def outside(field: str, value: float | None, least: int = 0) -> Iterator[str]:
    """What is wrong with a number below ``least`` or above ``MOST``; nothing with one that is not given."""
    if value is not None and not least <= value <= MOST:
        yield f"{field}: {value:,} is not possible; {least:,} to {MOST:,} is accepted"
