from __future__ import annotations

from dataclasses import replace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from budget_model.store import budget_models, mlflow_models, prompt_models
from budget_model.store.ledger import Ledger
from budget_model.store.models import Base
from budget_model.store.run_catalog import DELETED, KNOWN, REJECTED, RunCatalog, StoredRun

NOW_US = 1_796_083_200_000_000
SERVER = "http://mlflow"


@pytest.fixture
def catalog(ledger: Ledger) -> RunCatalog:
    return RunCatalog(ledger)


def stored(number: int, state: str = KNOWN, **changes: object) -> StoredRun:
    run = StoredRun(f"{number:032x}", SERVER, SERVER, "1", f"it's {number} 🙂", state, "a" * 32, NOW_US)
    return replace(
        run,
        start_ms=number,
        labels={"model": "m"},
        settings={"concurrency": 2.0},
        measured={"ttft_p99_ms": 0.1},
        **changes,  # type: ignore[arg-type]
    )


def test_the_table_is_the_one_the_program_speaks_of(ledger: Ledger) -> None:
    tables = (budget_models.SqlBudget, mlflow_models.MlflowTraceRow, prompt_models.PromptRow)
    assert all(one.metadata is Base.metadata for one in tables)
    with ledger.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_what_is_put_is_what_is_read_and_a_later_word_replaces_the_earlier(catalog: RunCatalog) -> None:
    catalog.put([stored(1), stored(2, REJECTED, reason="because")])
    catalog.put([replace(stored(1), not_finite=3)])
    assert catalog.all() == [stored(2, REJECTED, reason="because"), replace(stored(1), not_finite=3)]
    assert catalog.known([f"{1:032x}", "other"]) == {f"{1:032x}": replace(stored(1), not_finite=3)}


def test_runs_without_a_start_are_listed_last(catalog: RunCatalog) -> None:
    catalog.put([replace(stored(1), start_ms=None), stored(2), stored(3)])
    assert [one.start_ms for one in catalog.all()] == [3, 2, None]


def test_only_runs_of_the_source_and_experiment_that_were_not_met_are_gone(catalog: RunCatalog) -> None:
    elsewhere = replace(stored(4), source="http://other")
    catalog.put([stored(1), stored(2), replace(stored(3), experiment_id="2"), elsewhere])
    assert catalog.mark_gone(SERVER, ["1"], {f"{1:032x}"}, NOW_US + 1) == 1
    states = {one.start_ms: (one.state, one.noticed_us) for one in catalog.all()}
    assert states.pop(2) == (DELETED, NOW_US + 1)
    assert set(states.values()) == {(KNOWN, NOW_US)}
    assert catalog.mark_gone(SERVER, ["1"], {f"{1:032x}"}, NOW_US + 2) == 0


def test_thousands_of_runs_are_written_and_found_again(catalog: RunCatalog) -> None:
    runs = [stored(number) for number in range(2500)]
    catalog.put(runs)
    assert len(catalog.known([one.run_id for one in runs])) == len(catalog.all()) == 2500
