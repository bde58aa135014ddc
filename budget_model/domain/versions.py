"""The order of version names: numbers in them count as numbers, so that 10 follows 9."""

from __future__ import annotations

import re

VersionOrder = tuple[tuple[int, int, str], ...]

_PARTS = re.compile(r"([0-9]+)")


def version_order(version: str | None) -> VersionOrder:
    """What to sort by, the earliest version first; no version at all comes before any.

    >>> sorted(["10", "9", "v2.1", "v2", "v10"], key=version_order)
    ['9', '10', 'v2', 'v2.1', 'v10']
    """
    return tuple(_place(part) for part in _PARTS.split(version or "") if part)


def _place(part: str) -> tuple[int, int, str]:
    if not part[0].isdecimal():
        return 1, 0, part
    digits = part.lstrip("0")
    return 0, len(digits), digits  # compares as the number does, however long it is
