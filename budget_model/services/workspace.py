"""The composition root: one home opened, with everything that reads it built once and shared."""

from __future__ import annotations

import threading
from functools import partial

from budget_model.queries.engine import Engine
from budget_model.services.allocating import Allocator
from budget_model.services.budgets import Budgets
from budget_model.services.engine_limits import limits_of
from budget_model.services.figures import Figures
from budget_model.services.making import assembler_for
from budget_model.services.prompt_versions import PromptVersions
from budget_model.services.whatif import WhatIf
from budget_model.settings import Settings
from budget_model.store.budget_catalog import BudgetCatalog
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog


class Workspace:
    """One home of one process; safe to share between threads.

    Opening makes the home and its ledger when they are missing. Raises StoreError when it cannot.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ledger = Ledger(settings)
        self._building = threading.Lock()
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The process's query engine, started on first use."""
        with self._building:
            if self._engine is None:
                self._engine = Engine(self.ledger, limits_of(self.settings))
            return self._engine

    @property
    def figures(self) -> Figures:
        """All figures of what was measured."""
        return Figures(self.engine, partial(assembler_for, self.settings))

    @property
    def allocator(self) -> Allocator:
        """Budget questions, answered."""
        return Allocator(self.engine)

    @property
    def what_if(self) -> WhatIf:
        """Changes, tried on what was measured."""
        return WhatIf(self.engine)

    @property
    def budgets(self) -> Budgets:
        """Budgets people saved."""
        return Budgets(BudgetCatalog(self.ledger), self.engine, lambda: self.ledger.rules_fingerprint() or "")

    @property
    def prompts(self) -> PromptVersions:
        """Prompt versions with what their texts changed."""
        return PromptVersions(PromptCatalog(self.ledger), self.engine)

    def close(self) -> None:
        """Give up the ledger's connections."""
        self.ledger.close()
