"""A record that could not be taken, and a thing worth saying about records that were."""

from __future__ import annotations

import msgspec


class Reject(msgspec.Struct, frozen=True):
    """One refused record: where it stands, the value that was refused, and what is accepted."""

    where: str
    value: str
    reason: str


class Warned(msgspec.Struct):
    """Something noticed on ``count`` accepted records, with the first example."""

    code: str
    count: int
    example: str
