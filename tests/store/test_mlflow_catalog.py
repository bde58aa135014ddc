from __future__ import annotations

from dataclasses import replace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from budget_model.errors import StoreError
from budget_model.store import budget_models
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import (
    DELETED,
    KNOWN,
    WAITING,
    MlflowCatalog,
    SeenTrace,
    Source,
    Standing,
)
from budget_model.store.models import Base

START_MS = 1_796_083_200_000
NOW_US = START_MS * 1000


@pytest.fixture
def catalog(ledger: Ledger) -> MlflowCatalog:
    return MlflowCatalog(ledger)


def trace(number: int, state: str = KNOWN, experiment: str = "1") -> SeenTrace:
    start_ms = START_MS + number * 1000
    return SeenTrace(f"tr-{number:04}", experiment, start_ms, "a" * 32, "b" * 32, 1, state, NOW_US)


def test_the_tables_are_those_the_program_speaks_of(ledger: Ledger) -> None:
    assert budget_models.SqlBudget.metadata is Base.metadata
    with ledger.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_source_is_there_once_whoever_adds_it(catalog: MlflowCatalog) -> None:
    first = catalog.add("http://mlflow")
    assert catalog.add("http://mlflow") == first == Source(1, "http://mlflow")
    assert catalog.sources() == [first]


def test_what_is_saved_of_a_source_is_what_is_read(catalog: MlflowCatalog) -> None:
    saved = Source(
        catalog.add("http://mlflow").id,
        "http://mlflow",
        direct="sqlite:////m.db",
        pages="http://mlflow",
        kind="sqlite",
        experiments=("chat", "7"),
        watermarks={"7": START_MS},
        interval_ms=60_000,
        state="failed",
        started_us=NOW_US,
        ended_us=NOW_US + 1,
        ok_us=NOW_US - 1,
        last_error="it's \"gone\"; -- ' 🙂",
        note="n",
        counts={"traces": {"new": 3}},
    )
    catalog.save(saved)
    assert catalog.source(saved.id) == saved
    catalog.repeat("http://mlflow", None)
    assert catalog.source(saved.id) == replace(saved, interval_ms=None)


def test_a_source_that_is_not_there_is_refused(catalog: MlflowCatalog) -> None:
    with pytest.raises(StoreError, match="no MLflow source 9"):
        catalog.source(9)


def test_traces_are_remembered_by_source_and_a_later_word_replaces_the_earlier(
    catalog: MlflowCatalog,
) -> None:
    one, other = catalog.add("http://one"), catalog.add("http://other")
    catalog.remember(one, [trace(1), trace(2, WAITING)])
    catalog.remember(other, [trace(1)])
    catalog.remember(one, [replace(trace(2), seen=7)])
    assert catalog.known(one.id, ["tr-0001", "tr-0002", "tr-0003"]) == {
        "tr-0001": trace(1),
        "tr-0002": replace(trace(2), seen=7),
    }
    assert list(catalog.known(other.id, ["tr-0001", "tr-0002"])) == ["tr-0001"]


def test_thousands_of_traces_are_found_again_in_pages(catalog: MlflowCatalog) -> None:
    source = catalog.add("http://one")
    # Some begin in the same millisecond, as a page may end between them.
    traces = [replace(trace(n), start_ms=START_MS + n // 7) for n in range(2500)]
    catalog.remember(source, traces)
    pages = list(catalog.expected(source.id, ["1"], START_MS, None))
    assert [len(page) for page in pages] == [1000, 1000, 500]
    assert {one.trace_id for page in pages for one in page} == {one.trace_id for one in traces}
    some = [one for page in catalog.expected(source.id, ["1"], START_MS + 2, START_MS + 4) for one in page]
    assert {one.start_ms for one in some} == {START_MS + 2, START_MS + 3}
    assert list(catalog.expected(source.id, ["2"], START_MS, None)) == []
    assert len(catalog.known(source.id, [one.trace_id for one in traces])) == 2500


def test_how_a_source_stands_is_counted_by_state(catalog: MlflowCatalog) -> None:
    source = catalog.add("http://one")
    assert catalog.standing(source.id) == Standing(0, 0, 0, None, None)
    catalog.remember(source, [trace(1), trace(2), trace(3, WAITING), trace(4, WAITING), trace(9, DELETED)])
    assert catalog.standing(source.id) == Standing(2, 2, 1, START_MS + 9000, START_MS + 3000)
    assert [one.trace_id for one in catalog.waiting(source.id, ["1"])] == ["tr-0003", "tr-0004"]


def test_a_trace_is_deleted_when_no_source_has_it(catalog: MlflowCatalog) -> None:
    one, other = catalog.add("http://one"), catalog.add("http://other")
    catalog.remember(one, [trace(1, DELETED)])
    catalog.remember(other, [trace(1)])
    assert catalog.deleted_us(["tr-0001"]) is None
    catalog.remember(other, [trace(1, DELETED)])
    assert catalog.deleted_us(["tr-0001"]) == NOW_US
    assert catalog.deleted_us(["unheard of"]) is None
