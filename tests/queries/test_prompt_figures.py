from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from budget_model.errors import FilterError
from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.services.figures import Figures
from tests.queries.homes import START_US, Row, Store, request

MINUTE_US = 60_000_000


def made_with(prompt: str | None, version: str | None, n: int, first: int, **fields: Any) -> list[Row]:
    """``n`` requests, one a minute from minute ``first``, of 1, 2 ... ms."""
    return [
        request(
            f"{prompt}{version}{first}-{number:03d}",
            number,
            prompt_name=prompt,
            prompt_version=version,
            start_us=START_US + (first + number - 1) * MINUTE_US,
            **fields,
        )
        for number in range(1, n + 1)
    ]


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    store = Store(tmp_path)
    store.add(
        [
            *made_with("chat", "9", 100, 0, tenant="acme"),
            *made_with("chat", "10", 20, 100, ttft_us=5000, tenant="globex"),
            *made_with("chat", "10", 2, 200, outcome="failed"),
            *made_with("a@b", "1", 3, 0),
            *made_with("bare", None, 2, 0),
            *made_with(None, None, 5, 0),
        ]
    )
    return store.figures()


def test_each_version_is_a_row_with_the_newest_of_a_prompt_first(figures: Figures) -> None:
    found = figures.prompts(EVERYTHING, 0.5)
    assert [(one.label, one.name, one.version) for one in found] == [
        ("a@b@1", "a@b", "1"),
        ("bare", "bare", None),
        ("chat@10", "chat", "10"),
        ("chat@9", "chat", "9"),
    ]


def test_every_figure_has_its_own_n_and_failures_are_in_none(figures: Figures) -> None:
    ten, nine = figures.prompts(EVERYTHING, 0.5)[2:]
    assert (ten.requests, ten.failed, ten.e2e.n, ten.e2e.value_ms) == (22, 2, 20, 10)
    assert (ten.ttft.n, ten.ttft_missing, ten.ttft.value_ms) == (20, 0, 5)
    assert (nine.e2e.n, nine.e2e.value_ms) == (100, 50)
    assert (nine.e2e.interval.low_ms or 99) < 50 < (nine.e2e.interval.high_ms or 0)
    assert (nine.ttft.n, nine.ttft_missing, nine.ttft.value_ms, nine.ttft.grade) == (0, 100, None, "-")


def test_first_and_last_are_of_all_requests_whatever_their_outcome(figures: Figures) -> None:
    ten = figures.prompts(EVERYTHING, 0.5)[2]
    assert (ten.first_us, ten.last_us) == (START_US + 100 * MINUTE_US, START_US + 201 * MINUTE_US)
    assert figures.prompts(EVERYTHING, 0.5)[1].first_us == START_US


def test_the_filter_and_the_percentile_count_and_are_those_of_the_segments(figures: Figures) -> None:
    chosen = Filter(tenant=("acme",))
    [nine] = figures.prompts(chosen, 0.99)
    assert (nine.label, nine.e2e.value_ms) == ("chat@9", 99)
    assert [row.estimate for row in figures.segments(chosen, "prompt", 0.99).rows] == [nine.e2e]
    assert figures.prompts(Filter(tenant=("nobody",)), 0.99) == ()
    with pytest.raises(FilterError):
        figures.prompts(chosen, 99)
