"""Clocks that disagree: how far to move a child into its parent, and what two hosts' clocks differ by.

Nothing here is applied unless asked for. Moving keeps durations: start and end move together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


def skew_delta(parent_start: int, parent_duration: int, child_start: int, child_duration: int) -> int:
    """What to add to a child's times so that it lies in its parent, in their unit.

    A child longer than its parent moves only when it begins too early, to the parent's start. One
    that fits inside stays. Any other is centred, as if the network took as long each way. This is
    the rule of Jaeger's clock skew adjuster; it is meant for spans of different hosts.

    >>> skew_delta(0, 1000, -50, 400)
    350
    """
    if child_duration > parent_duration:
        return max(parent_start - child_start, 0)
    fits = child_start >= parent_start and child_start + child_duration <= parent_start + parent_duration
    return 0 if fits else parent_start + (parent_duration - child_duration) // 2 - child_start


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call between two hosts: sent and received by the client's clock, the middle by the server's."""

    client_send: int
    server_receive: int
    server_reply: int
    client_receive: int


@dataclass(frozen=True, slots=True)
class OffsetInterval:
    """The server's clock minus the client's lies in [low, high], by causality alone."""

    low: int
    high: int

    @property
    def midpoint(self) -> float:
        """The best single value; wrong by at most half the interval."""
        return (self.low + self.high) / 2


def offset_interval(exchanges: Iterable[Exchange]) -> OffsetInterval | None:
    """What the clocks of two hosts can differ by, given calls between them.

    A request cannot arrive before it was sent nor a reply before it left, so every call bounds the
    offset from both sides (Cristian 1989). None without calls, and when the bounds exclude each
    other: the clocks drifted or stepped, and the calls must be split by time.
    """
    calls = list(exchanges)
    if not calls:
        return None
    low = max(call.server_reply - call.client_receive for call in calls)
    high = min(call.server_receive - call.client_send for call in calls)
    return OffsetInterval(low, high) if low <= high else None
