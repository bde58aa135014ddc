from __future__ import annotations

from budget_model.views.charts.trend import trend_figure
from tests.views.results import series


def test_a_quiet_hour_is_a_gap_and_not_zero() -> None:
    p99 = trend_figure(series(100, None, 300)).data[2]
    assert list(p99.y) == [100, None, 300]
    assert p99.connectgaps is False


def test_a_thin_sample_is_a_hollow_point_and_says_so() -> None:
    p99 = trend_figure(series(100, grade="C")).data[2]
    assert list(p99.marker.symbol) == ["circle-open"]
    assert "too few samples" in p99.hovertext[0]


def test_axes_carry_units_and_the_width_of_a_point() -> None:
    layout = trend_figure(series(5000)).layout
    assert layout.yaxis.title.text == "end to end (s)"
    assert "UTC, by 1 h" in layout.xaxis.title.text


def test_the_three_percentiles_differ_in_more_than_colour() -> None:
    assert len({trace.line.dash for trace in trend_figure(series(1)).data}) == 3
