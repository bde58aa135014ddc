"""The service's own measurement of its hops, apart from any tracing, and where it is written down."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Lock
from typing import Any

_EPOCH_NS = time.time_ns() - time.perf_counter_ns()


def now_ns() -> int:
    """Nanoseconds since the epoch, from a clock that never goes back."""
    return _EPOCH_NS + time.perf_counter_ns()


class Laps:
    """A stopwatch with one hand: every moment from start to stop belongs to exactly one hop."""

    def __init__(self, hop: str) -> None:
        self.start_ns = self._since = now_ns()
        self.end_ns = self.start_ns
        self._hop = hop
        self.by_hop_ns: dict[str, int] = {}

    def to(self, hop: str) -> int:
        """From here on the time is ``hop``'s. The reading, in nanoseconds since the epoch."""
        self.end_ns = now_ns()
        self.by_hop_ns[self._hop] = self.by_hop_ns.get(self._hop, 0) + self.end_ns - self._since
        self._hop, self._since = hop, self.end_ns
        return self.end_ns

    def stop(self) -> int:
        """The end of the request here. The reading, in nanoseconds since the epoch."""
        return self.to(self._hop)


class Records:
    """A file of JSON lines, one a request; without a path nothing is written."""

    def __init__(self, path: Path | None) -> None:
        self._file = path.open("a", encoding="utf-8") if path else None
        self._lock = Lock()

    def write(self, part: str, request_id: str, laps: Laps, **more: Any) -> None:
        """Write what ``part`` (client or server) measured of a request."""
        if self._file is None:
            return
        times = {"start_ns": laps.start_ns, "end_ns": laps.end_ns, "laps_ns": laps.by_hop_ns}
        line = json.dumps({"part": part, "request_id": request_id, **times, **more})
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def close(self) -> None:
        """Nothing is written after this."""
        if self._file is not None:
            self._file.close()
