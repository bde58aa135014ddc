"""The composition root: one home opened, with everything that reads it built once and shared."""

from __future__ import annotations

import threading

from budget_model.queries.engine import Engine, Limits
from budget_model.services.figures import Figures
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger


class Workspace:
    """One home of one process; safe to share between threads.

    Opening makes the home and its ledger when they are missing. Raises StoreError when it cannot.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ledger = Ledger(settings)
        self._building = threading.Lock()
        self._figures: Figures | None = None

    @property
    def figures(self) -> Figures:
        """All figures, over an engine that is started on first use."""
        with self._building:
            if self._figures is None:
                self._figures = Figures(Engine(self.ledger, limits_of(self.settings)))
            return self._figures

    def close(self) -> None:
        """Give up the ledger's connections."""
        self.ledger.close()


def limits_of(settings: Settings) -> Limits:
    """What the settings allow the query engine."""
    return Limits(
        segments_dir=settings.segments_dir,
        threads=settings.query_threads,
        memory_mb=settings.query_memory_mb,
        bucket_edges=settings.bucket_edges,
    )
