from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import FilterError
from budget_model.queries import selection
from budget_model.queries.buckets import bucket_labels
from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.queries.selection import where
from budget_model.services.figures import Figures
from tests.queries.homes import START_US, Store, request

HOSTILE = "'; DROP TABLE requests; --"


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    store = Store(tmp_path)
    store.add(
        [
            request("a", 1, tenant="acme", region="eu", prompt_tokens=100, start_us=START_US),
            request("b", 2, tenant="acme", region="us", prompt_tokens=256, start_us=START_US + 10),
            request("c", 3, tenant=None, region="eu", prompt_tokens=1_000_000, start_us=START_US + 20),
            request("d", 4, tenant=HOSTILE, prompt_name="qa", prompt_version="3"),
            request("e", 5, tenant="", prompt_name="qa"),
            request("f", 6, tenant="acme", load_test="lt1", stage="s1"),
        ]
    )
    return store.figures()


def chosen(figures: Figures, wanted: Filter) -> set[str]:
    return {row.request_id for row in figures.requests(wanted).rows}


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (EVERYTHING, "abcde"),
        (Filter(tenant=("acme",)), "ab"),
        (Filter(tenant=("acme", None)), "abc"),
        (Filter(tenant=(None,)), "c"),
        (Filter(tenant=("",)), "e"),
        (Filter(tenant=(HOSTILE,)), "d"),
        (Filter(tenant=("acme",), region=("eu",)), "a"),
        (Filter(tenant=("nobody",)), ""),
        (Filter(bucket=("<256",)), "a"),
        (Filter(bucket=("256-1k", ">=64k")), "bc"),
        (Filter(bucket=(None,)), "de"),
        (Filter(prompt=("qa@3",)), "d"),
        (Filter(prompt=("qa",)), "e"),
        (Filter(load_test=("lt1",)), "f"),
        (Filter(load_test=("lt1", None)), "abcdef"),
        (Filter(since_us=START_US + 10), "bc"),
        (Filter(until_us=START_US + 10), "a"),
        (Filter(since_us=START_US, until_us=START_US + 20), "ab"),
    ],
)
def test_a_filter_chooses_its_requests(figures: Figures, wanted: Filter, ids: str) -> None:
    assert chosen(figures, wanted) == set(ids)


def test_values_are_bound_and_never_part_of_the_query() -> None:
    condition, values = where(Filter(tenant=(HOSTILE, None), since_us=5))
    assert condition == "TRUE AND (tenant IN ? OR tenant IS NULL) AND load_test IS NULL AND start_us >= ?"
    assert values == [[HOSTILE], 5]


def test_bucket_names_follow_their_edges() -> None:
    assert bucket_labels((256, 1024, 4096, 16384, 65536)) == (
        "<256",
        "256-1k",
        "1k-4k",
        "4k-16k",
        "16k-64k",
        ">=64k",
    )
    assert bucket_labels((1000,)) == ("<1000", ">=1000")


def test_buckets_are_listed_by_size_and_other_values_by_name(figures: Figures) -> None:
    values = figures.dimension_values()
    assert values["bucket"] == [("<256", 1), ("256-1k", 1), (">=64k", 1), (None, 3)]
    assert values["region"] == [("eu", 2), ("us", 1), (None, 3)]
    assert values["prompt"] == [("qa", 1), ("qa@3", 1), (None, 4)]


def test_counts_tell_outcomes_times_and_flags(tmp_path: Path) -> None:
    store = Store(tmp_path)
    outcomes = ("ok", "ok", "empty", "failed", "incomplete", "cancelled")
    rows = [request(f"r{i}", 1, outcome=outcome, flags=i) for i, outcome in enumerate(outcomes)]
    store.add([*rows, request("timed", 1, start_us=START_US)])
    found = store.figures().counts(EVERYTHING)
    assert (found.total, found.ok, found.empty, found.failed) == (7, 3, 1, 1)
    assert (found.incomplete, found.cancelled, found.without_time) == (1, 1, 6)
    assert found.flagged == {"clock_skew": 3, "negative_duration": 2, "unfinished_span": 2}


def test_the_time_range_is_of_the_requests_under_the_filter(figures: Figures) -> None:
    assert figures.time_range(EVERYTHING) == (START_US, START_US + 20)
    assert figures.time_range(Filter(tenant=("acme",))) == (START_US, START_US + 10)
    assert figures.time_range(Filter(tenant=("",))) is None


def test_the_longest_unused_selections_are_let_go_and_the_newest_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    store.add([request(f"r{i}", i) for i in range(10)])
    table = store.engine().table()
    monkeypatch.setattr(selection, "KEPT_ROWS", 25)
    asked = [Filter(tenant=(None, str(i))) for i in range(3)]
    found = [selection.select(table, chosen) for chosen in asked]
    assert [chosen for chosen in asked if chosen in table.selections] == asked[1:]
    assert selection.select(table, asked[2]) is found[2]
    monkeypatch.setattr(selection, "KEPT_ROWS", 1)
    selection.select(table, asked[0])
    assert list(table.selections) == [asked[0]]


@pytest.mark.parametrize("ask", ["segments", "heat_map"])
def test_an_unknown_dimension_is_refused_by_name(figures: Figures, ask: str) -> None:
    with pytest.raises(FilterError, match=r"'colour'.*workload"):
        getattr(figures, ask)(EVERYTHING, "colour", 0.99)
