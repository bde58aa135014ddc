from __future__ import annotations

from budget_model.views.charts.heat import MAX_ROWS, heat_figure
from tests.views.results import heat_map


def test_hops_nobody_recorded_have_no_column() -> None:
    assert list(heat_figure(heat_map("acme")).data[0].x) == ["queue"]


def test_labels_are_text_and_a_missing_one_is_named() -> None:
    rows = heat_figure(heat_map("<b>x</b>", None)).data[0].y
    assert list(rows) == ["&lt;b&gt;x&lt;/b&gt;", "not recorded"]


def test_two_labels_that_are_cut_to_the_same_stay_two_rows() -> None:
    rows = heat_figure(heat_map("a" * 60 + "1", "a" * 60 + "2")).data[0].y
    assert len(set(rows)) == 2


def test_many_segments_are_cut_to_what_can_be_read() -> None:
    assert len(heat_figure(heat_map(*(f"t{i}" for i in range(80)))).data[0].y) == MAX_ROWS
