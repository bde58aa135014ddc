from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.views.charts.colours import HOP_COLOURS, HOP_PATTERNS
from budget_model.views.charts.waterfall import waterfall_figure
from tests.views.results import waterfall


def bars(figure: object) -> dict[str, tuple[float, float, str]]:
    (trace,) = figure.data  # type: ignore[attr-defined]
    return {
        hop: (base, x, label)
        for hop, base, x, label in zip(trace.customdata, trace.base, trace.x, trace.text, strict=True)
    }


def test_four_hops_give_four_bars_and_a_total_of_their_sum() -> None:
    drawn = bars(waterfall_figure(waterfall({"gateway": 1, "queue": 2, "prefill": 3, "decode": 4})))
    assert {hop: (base, x) for hop, (base, x, _) in drawn.items()} == {
        "gateway": (0, 1),
        "queue": (1, 2),
        "prefill": (3, 3),
        "decode": (6, 4),
        "total": (0, 10),
    }
    assert [label for _, _, label in drawn.values()] == [
        "1 ms · 10 %",
        "2 ms · 20 %",
        "3 ms · 30 %",
        "4 ms · 40 %",
        "<b>10 ms</b>",
    ]


def test_short_bars_are_as_long_as_they_are() -> None:
    drawn = bars(waterfall_figure(waterfall({"queue": 0.4, "decode": 900})))
    assert drawn["queue"][:2] == (0, 0.4)
    assert drawn["queue"][2].startswith("0.40 ms")
    assert drawn["decode"][:2] == (0.4, 900)


def test_labels_of_a_total_under_ten_milliseconds_are_microseconds_that_add() -> None:
    drawn = bars(waterfall_figure(waterfall({"queue": 0.9, "decode": 0.5})))
    assert [label for _, _, label in drawn.values()] == [
        "0.900 ms · 64 %",
        "0.500 ms · 36 %",
        "<b>1.400 ms</b>",
    ]


def test_long_requests_are_drawn_in_seconds_and_say_so() -> None:
    figure = waterfall_figure(waterfall({"decode": 20_000}))
    assert bars(figure)["decode"][1] == 20
    assert figure.layout.xaxis.title.text.endswith("(s)")


def test_a_hop_nobody_recorded_has_no_bar() -> None:
    assert set(bars(waterfall_figure(waterfall({"decode": 5})))) == {"decode", "total"}


def test_every_hop_keeps_its_colour_whatever_else_is_drawn() -> None:
    for chosen in ({"queue": 5.0, "decode": 9.0}, {"client": 1.0, "queue": 2.0}):
        (trace,) = waterfall_figure(waterfall(chosen)).data
        assert trace.marker.color[list(trace.customdata).index("queue")] == HOP_COLOURS["queue"]


def test_colours_are_told_apart_and_what_is_no_work_has_a_pattern_too() -> None:
    assert len(set(HOP_COLOURS.values())) == len(Hop)
    assert {Hop.RETRY, Hop.UNATTRIBUTED} <= set(HOP_PATTERNS)


def test_the_hover_names_the_interval_and_how_many_failed() -> None:
    (trace,) = waterfall_figure(waterfall({"decode": 5})).data
    assert "95 % interval" in trace.hovertext[-1]
    assert "7 failed" in trace.hovertext[-1]
