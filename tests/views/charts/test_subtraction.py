from __future__ import annotations

import pytest

from budget_model.domain.hops import Hop
from budget_model.views.allocator_answer import observed_bars
from budget_model.views.charts.colours import HOP_COLOURS
from budget_model.views.charts.subtraction import overhead_figure, steps, subtraction_figure
from tests.views.allocations import allocation


def test_the_bars_fall_from_the_target_to_zero_without_a_gap() -> None:
    found = allocation()
    bars = steps(found)
    assert bars[0].end_us == found.question.target_us
    assert [bar.end_us - bar.us for bar in bars[:-1]] == [bar.end_us for bar in bars[1:]]
    assert bars[-1].end_us - bars[-1].us == 0


def test_the_subtraction_begins_with_headroom_and_ends_with_prefill_and_decode() -> None:
    assert [bar.name for bar in steps(allocation())] == [
        "headroom",
        "network",
        "retrieval",
        "prefill",
        "decode",
    ]


def test_printed_labels_add_to_the_printed_target() -> None:
    assert sum(bar.printed_ms for bar in steps(allocation(4_000_500))) == 4000


def test_what_is_drawn_is_what_was_allocated_and_observed() -> None:
    found = allocation()
    budget, today = subtraction_figure(found, observed_bars(found)).data[:2]
    drawn = dict(zip(budget.customdata, budget.x, strict=True))
    assert drawn == {"target": 4000, **{line.name: line.us / 1000 for line in found.lines}}
    assert sum(today.x[1:]) == pytest.approx(found.observed_us / 1000)
    assert today.x[0] == pytest.approx(found.observed_us / 1000)


def test_hops_keep_their_colours() -> None:
    found = allocation()
    budget = subtraction_figure(found, observed_bars(found)).data[0]
    colours = dict(zip(budget.customdata, budget.marker.color, strict=True))
    assert {hop: colours[hop] for hop in ("retrieval", "decode")} == {
        hop: HOP_COLOURS[hop] for hop in ("retrieval", "decode")
    }


def test_a_locked_hop_says_so() -> None:
    found = allocation(locks={Hop.RETRIEVAL: 400_000})
    figure = subtraction_figure(found, observed_bars(found))
    assert "− retrieval (locked)" in figure.data[0].y
    assert any("held at its contract" in hover for hover in figure.data[0].hovertext)


def test_long_targets_are_drawn_in_seconds() -> None:
    found = allocation(20_000_000)
    figure = subtraction_figure(found, observed_bars(found))
    assert figure.data[0].x[0] == 20
    assert figure.layout.xaxis.title.text == "time (s)"


def test_overhead_that_misses_the_target_is_drawn_against_it() -> None:
    found = allocation(400_000)
    assert found.infeasible is not None
    figure = overhead_figure(found)
    assert set(figure.data[0].customdata) == {"network", "retrieval"}
    assert sum(figure.data[0].x) == pytest.approx(found.compute.overhead_quantile_us / 1000)
    assert figure.layout.shapes[0].x0 == 360
