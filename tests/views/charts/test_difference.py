from __future__ import annotations

import pytest

from budget_model.views.charts.difference import difference_figure
from tests.views.results import difference


def test_changes_lead_from_the_lower_total_to_the_upper() -> None:
    (trace,) = difference_figure(difference({"queue": 10, "decode": 90}, {"queue": 60, "decode": 80})).data
    assert list(trace.x) == [100, 50, 10, 140]
    assert list(trace.base) == [0, 100, 140, 0]
    assert list(trace.text) == ["<b>100 ms</b>", "+50 ms", "−10 ms", "<b>140 ms</b>"]


def test_changes_between_totals_under_ten_milliseconds_are_microseconds_that_add() -> None:
    (trace,) = difference_figure(
        difference({"queue": 0.1, "decode": 0.3}, {"queue": 0.7, "decode": 0.2})
    ).data
    assert list(trace.text) == ["<b>0.400 ms</b>", "+0.600 ms", "−0.100 ms", "<b>0.900 ms</b>"]


@pytest.mark.parametrize("scale", [1, 1000])
def test_the_axis_names_its_unit(scale: int) -> None:
    figure = difference_figure(difference({"decode": 9 * scale}, {"decode": 11 * scale}))
    assert figure.layout.xaxis.title.text == f"time ({'ms' if scale == 1 else 's'})"
