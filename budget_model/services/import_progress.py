"""Turning batches into progress: bytes over all files, records a second, seconds left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from budget_model.services.import_report import Progress


class ProgressMeter:
    """Tells ``on_progress`` how far the import is; with None it does nothing."""

    def __init__(self, on_progress: Callable[[Progress], None] | None, files: Sequence[Path]) -> None:
        self._tell = on_progress
        self._sizes = {path: path.stat().st_size if path.is_file() else 0 for path in files}
        self._total = sum(self._sizes.values())
        self._finished = 0  # bytes of the files before the current one
        self._path = Path()
        self._parts: dict[int, int] = {}
        self._records = 0
        self._began = time.monotonic()

    def waiting(self, words: str) -> None:
        """Another process holds the lock; ``words`` name it."""
        self._send("waiting", words)

    def begin(self, path: Path) -> None:
        """The next file; the one before counts as read whole."""
        self._finished += self._sizes.get(self._path, 0)
        self._path, self._parts = path, {}
        self._send("reading")

    def batch(self, part: int, bytes_read: int, records: int) -> None:
        """``part`` of the file is read up to ``bytes_read``, ``records`` of them new."""
        self._parts[part] = bytes_read
        self._records += records
        self._send("reading")

    def phase(self, name: str) -> None:
        """The file is read; what comes now is ``settling`` or ``writing``."""
        self._send(name)

    def _send(self, phase: str, words: str = "") -> None:
        if self._tell is None:
            return
        done = min(self._total, self._finished + sum(self._parts.values()))
        seconds = time.monotonic() - self._began
        left = seconds * (self._total - done) / done if done and seconds else None
        rate = self._records / seconds if seconds else 0.0
        self._tell(Progress(phase, str(self._path), done, self._total, self._records, rate, left, words))
