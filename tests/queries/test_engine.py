from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from budget_model.errors import StoreError
from budget_model.queries.engine import Engine
from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.queries.selection import select
from budget_model.services.figures import Figures
from tests.queries.homes import START_US, Row, Store, request


def rows_of_many_segments(n: int) -> list[Row]:
    return [
        request(
            f"r{i:04d}",
            hops={"queue": i * 7919 % 101, "decode": i * 104729 % 1009},
            tenant=f"t{i % 7}",
            region=("eu", "us", None)[i % 3],
            prompt_tokens=i * 31 % 5000,
            start_us=START_US + i * 60_000_000,
            outcome="failed" if i % 50 == 0 else "ok",
        )
        for i in range(n)
    ]


def some_filters() -> list[Filter]:
    by_tenant = [Filter(tenant=(f"t{i}",), since_us=START_US + k) for i in range(7) for k in range(8)]
    by_region = [
        Filter(region=(r,), until_us=START_US + k * 10**10) for r in ("eu", None) for k in range(1, 23)
    ]
    return by_tenant + by_region


def answer(figures: Figures, chosen: Filter) -> tuple[object, ...]:
    return (
        figures.counts(chosen),
        figures.waterfall(chosen, 0.99),
        figures.percentiles(chosen, ("e2e", "queue"), (0.5, 0.95), by=("bucket",)),
        figures.requests(chosen, limit=2),
    )


def test_eight_threads_asking_a_hundred_times_each_get_the_serial_answers(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(rows_of_many_segments(2000))
    filters = some_filters()
    assert len(filters) == 100
    serial_figures = store.figures()
    serial = [answer(serial_figures, chosen) for chosen in filters]
    shared = store.figures()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(lambda: [answer(shared, chosen) for chosen in filters]) for _ in range(8)]
        answers = [one.result() for one in asked]
    assert sum(given == wanted for one in answers for given, wanted in zip(one, serial, strict=True)) == 800


def ids(engine: Engine) -> list[str]:
    return sorted(row[0] for row in engine.table().fetch(f"SELECT request_id FROM {engine.table().name}"))


def test_a_new_generation_is_taken_in_on_request_and_replaces_what_it_supersedes(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 1), request("b", 2)])
    engine = store.engine()
    assert ids(engine) == ["a", "b"]
    store.add([request("b", 20), request("c", 3)], superseded=["b"])
    assert (engine.table().generation, engine.newest_generation()) == (1, 2)
    assert engine.refresh().generation == 2
    assert ids(engine) == ["a", "b", "c"]
    assert sorted(engine.table().numbers["e2e_us"].tolist()) == [1000, 3000, 20_000]


def test_loading_all_generations_at_once_gives_the_same_rows(tmp_path: Path) -> None:
    store = Store(tmp_path)
    step_by_step = store.engine()
    steps: list[tuple[list[Row], list[str]]] = [
        ([request("a", 1), request("b", 2)], []),
        ([request("a", 10)], ["a"]),
        ([request("c", 3)], ["b"]),
        ([request("b", 4)], []),
    ]
    for rows, superseded in steps:
        store.add(rows, superseded=superseded)
        step_by_step.refresh()
    at_once = store.engine()
    assert ids(step_by_step) == ids(at_once) == ["a", "b", "c"]
    for name, column in at_once.table().numbers.items():
        assert step_by_step.table().numbers[name].tolist() == column.tolist()


def test_a_query_that_began_on_the_old_generation_finishes_on_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 1)])
    engine = store.engine()
    old = engine.table()
    store.add([request("b", 2)])
    engine.refresh()
    assert len(select(old, EVERYTHING).positions) == 1
    assert len(select(engine.table(), EVERYTHING).positions) == 2


def test_an_old_generation_is_dropped_when_nobody_reads_it_any_more(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 1)])
    engine = store.engine()
    old_name = engine.table().name
    store.add([request("b", 2)])
    engine.refresh()
    gc.collect()
    with pytest.raises(duckdb.CatalogException):
        engine.table().fetch(f"SELECT * FROM {old_name}")


def test_an_empty_home_is_a_table_without_rows(tmp_path: Path) -> None:
    figures = Store(tmp_path).figures()
    assert figures.generation() == 0
    assert figures.counts(EVERYTHING).total == 0
    assert figures.segments(EVERYTHING, "tenant", 0.99).rows == ()
    assert figures.heat_map(EVERYTHING, "tenant", 0.99).values == ()
    assert figures.series(EVERYTHING, "e2e").points == ()
    assert figures.requests(EVERYTHING).total == 0
    assert figures.requests(EVERYTHING, order="nearest", q=0.5).rows == ()
    assert figures.difference(EVERYTHING, 0.5, 0.99).bars == ()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('{outside}')",
        "COPY (SELECT 1) TO '{outside}'",
        "ATTACH '{outside}'",
        "SET enable_external_access = true",
        "SET threads = 64",
        "SELECT * FROM statement",
        "INSTALL httpfs",
    ],
)
def test_the_engine_reads_its_segments_and_nothing_else(tmp_path: Path, statement: str) -> None:
    (tmp_path / "segments").mkdir()
    outside = tmp_path / "outside.csv"
    outside.write_text("a\n1\n")
    table = Store(tmp_path / "segments").engine().table()
    with pytest.raises(duckdb.Error):
        table.fetch(statement.format(outside=outside))


def test_a_lost_segment_is_one_sentence(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 1)])
    store.refs[0].path.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        store.engine().table()
