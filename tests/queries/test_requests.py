from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.errors import FilterError
from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.services.figures import Figures
from tests.queries.homes import START_US, Store, request


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    store = Store(tmp_path)
    rows = [request(f"r{i:02d}", 100 + i // 2 * 10, start_us=START_US + i, tenant="t") for i in range(10)]
    extra = [
        request("fail", 7000, outcome="failed"),
        request("late", 5, outcome="failed", start_us=START_US + 99),
        request("open", outcome="incomplete"),
        request("untold"),
    ]
    store.add([*rows, *extra])
    return store.figures()


def ids(figures: Figures, **asked: object) -> list[str]:
    return [row.request_id for row in figures.requests(EVERYTHING, **asked).rows]  # type: ignore[arg-type]


def test_the_slowest_come_first_and_equal_times_by_id(figures: Figures) -> None:
    assert ids(figures, order="slowest", limit=4) == ["r09", "r08", "r07", "r06"]
    page = figures.requests(EVERYTHING, order="slowest", limit=2)
    assert ([row.rank for row in page.rows], page.total) == ([1, 2], 10)


def test_pages_of_a_list_join_without_gap_or_repeat(figures: Figures) -> None:
    whole = ids(figures, order="slowest", limit=50)
    parts = [ids(figures, order="slowest", offset=offset, limit=3) for offset in range(0, 12, 3)]
    assert [one for part in parts for one in part] == whole
    assert len(whole) == 10


def test_the_latest_come_first_and_those_without_a_time_last(figures: Figures) -> None:
    found = ids(figures, order="latest")
    assert found[:3] == ["late", "r09", "r08"]
    assert sorted(found[-3:]) == ["fail", "open", "untold"]


def test_failed_requests_can_be_listed_and_have_no_rank(figures: Figures) -> None:
    page = figures.requests(EVERYTHING, outcome="failed")
    assert [(row.request_id, row.rank, row.e2e_ms) for row in page.rows] == [
        ("fail", None, 7000),
        ("late", None, 5),
    ]


def test_the_nearest_to_a_percentile_start_with_the_one_that_is_it(figures: Figures) -> None:
    assert ids(figures, order="nearest", q=0.5, limit=3) == ["r04", "r05", "r03"]


def test_neighbours_are_one_rank_away(figures: Figures) -> None:
    slower, faster = figures.neighbours(EVERYTHING, "r05")
    assert slower is not None
    assert faster is not None
    assert (slower.request_id, faster.request_id) == ("r06", "r04")


@pytest.mark.parametrize(
    ("request_id", "slower", "faster"), [("r09", None, "r08"), ("r00", "r01", None), ("fail", None, None)]
)
def test_the_ends_and_the_unranked_have_fewer_neighbours(
    figures: Figures, request_id: str, slower: str | None, faster: str | None
) -> None:
    found = figures.neighbours(EVERYTHING, request_id)
    assert tuple(row and row.request_id for row in found) == (slower, faster)
    assert figures.neighbours(EVERYTHING, "nobody") == (None, None)
    assert figures.neighbours(Filter(tenant=("other",)), request_id) == (None, None)


def test_what_is_not_recorded_is_none_in_a_row(figures: Figures) -> None:
    row = next(row for row in figures.requests(EVERYTHING, order="latest").rows if row.request_id == "untold")
    assert (row.e2e_ms, row.ttft_ms, row.start_us, row.rank, row.prompt_tokens) == (None,) * 5
    assert row.segment["tenant"] is None
    assert set(row.path_ms) == {None}


@pytest.mark.parametrize("asked", [{"order": "fastest"}, {"order": "nearest"}, {"outcome": "lost"}])
def test_a_list_that_does_not_exist_is_refused(figures: Figures, asked: dict[str, str]) -> None:
    with pytest.raises(FilterError):
        ids(figures, **asked)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
@settings(deadline=None, max_examples=20)
def test_walking_from_neighbour_to_neighbour_visits_every_request_once(
    tmp_path_factory: pytest.TempPathFactory, values: list[int]
) -> None:
    store = Store(tmp_path_factory.mktemp("segments"))
    store.add([request(f"r{i:02d}", value) for i, value in enumerate(values)])
    figures = store.figures()
    at = figures.requests(EVERYTHING, order="slowest", limit=1).rows[0]
    walked = [at.request_id]
    while (faster := figures.neighbours(EVERYTHING, at.request_id)[1]) is not None:
        at = faster
        walked.append(at.request_id)
    assert walked == [row.request_id for row in figures.requests(EVERYTHING, limit=100).rows]
    assert len(set(walked)) == len(values)
