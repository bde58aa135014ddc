from __future__ import annotations

from budget_model.exports.svg_columns import FILL, WARN, Column, Limit
from budget_model.views.charts.review_days import days_figure

ALLOWED = Limit(5.0, "allowed: 5 %", over_is_bad=True)


def test_days_are_columns_and_a_quiet_day_says_so_in_its_place() -> None:
    columns = [Column("Mon 30 Nov", "n = 9", 8.0, "8.0 %"), Column("Tue 1 Dec", "no requests", None, "")]
    drawn = days_figure(columns, ALLOWED, "bad requests (%)")
    assert list(drawn.data[0].y) == [8.0, None]
    assert list(drawn.data[0].marker.color) == [WARN, FILL]
    assert drawn.layout.yaxis.title.text == "bad requests (%)"
    notes = {note.x: note.text for note in drawn.layout.annotations if note.xref != "paper"}
    assert notes == {"Tue<br>1 Dec": "no<br>requests"}


def test_the_axis_holds_the_limit_and_what_hangs_below_zero() -> None:
    spent = Limit(0.0, "spent: 0 %", over_is_bad=False)
    low, high = days_figure([Column("Mon", "", -500.0, "−500 %")], spent, "left (%)").layout.yaxis.range
    assert low < -500 < 0 < high
    low, high = days_figure([Column("Mon", "to come", None, "")], ALLOWED, "bad (%)").layout.yaxis.range
    assert low == 0 < 5 < high


def test_notes_stand_on_the_side_of_zero_that_has_room_for_them() -> None:
    spent = Limit(0.0, "spent: 0 %", over_is_bad=False)
    to_come = Column("Tue", "to come", None, "")
    for value, side in ((-34.0, "top"), (34.0, "bottom")):
        drawn = days_figure([Column("Mon", "", value, f"{value} %"), to_come], spent, "left (%)")
        assert [note.yanchor for note in drawn.layout.annotations if note.xref != "paper"] == [side]
