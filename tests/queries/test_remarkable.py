from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import FilterError
from budget_model.queries.filters import EVERYTHING
from budget_model.services.figures import Figures
from tests.queries.homes import Store, request


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    store = Store(tmp_path)
    store.add(
        [
            request("a", hops={"queue": 70, "decode": 30}, flags=1),
            request("b", hops={"queue": 80, "decode": 900}),
            request("c", hops={"queue": 50, "decode": 50}),
            request("d", hops={"decode": 20}, flags=4, outcome="failed"),
        ]
    )
    return store.figures()


def ids(figures: Figures, **choices: object) -> list[str]:
    return [row.request_id for row in figures.requests(EVERYTHING, **choices).rows]  # type: ignore[arg-type]


def test_the_slowest_of_a_hop_are_those_in_which_it_takes_most(figures: Figures) -> None:
    assert ids(figures, order="slowest", hop="queue") == ["c", "a"]
    assert ids(figures, order="slowest", hop="decode") == ["b"]


def test_of_two_equal_hops_the_first_on_the_way_counts_so_no_request_is_listed_twice(
    figures: Figures,
) -> None:
    listed = [ids(figures, order="slowest", hop=hop) for hop in ("queue", "decode")]
    assert sum(part.count("c") for part in listed) == 1


def test_the_longest_in_a_hop_leave_out_requests_without_it(figures: Figures) -> None:
    assert ids(figures, order="longest", hop="queue") == ["b", "a", "c"]


def test_flagged_requests_of_every_outcome_are_listed(figures: Figures) -> None:
    assert sorted(ids(figures, order="latest", flagged=True)) == ["a", "d"]


def test_a_list_is_cut_into_pages_and_says_how_long_it_is(figures: Figures) -> None:
    page = figures.requests(EVERYTHING, order="longest", hop="queue", offset=1, limit=1)
    assert ([row.request_id for row in page.rows], page.total) == (["a"], 3)


def test_an_unknown_hop_is_refused_with_the_known_ones(figures: Figures) -> None:
    with pytest.raises(FilterError, match=r"no hop 'quue'.*queue"):
        figures.requests(EVERYTHING, order="longest", hop="quue")


def test_one_request_comes_with_its_rank(figures: Figures) -> None:
    row = figures.request(EVERYTHING, "b")
    assert row is not None
    assert row.rank == 1
    assert figures.request(EVERYTHING, "nobody") is None
