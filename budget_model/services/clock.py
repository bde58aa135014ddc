"""The wall clock, read here alone by the services that record when something happened."""

from __future__ import annotations

import time

_NS_PER_US = 1_000


def now_us() -> int:
    """UTC microseconds since the epoch."""
    return time.time_ns() // _NS_PER_US
