from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from budget_model.exports.svg_columns import FILL, HEIGHT, WARN, Column, Limit, columns_svg, line_svg

SPENT = Limit(0.0, "spent: 0 %", over_is_bad=False)
ALLOWED = Limit(5.0, "allowed: 5 %", over_is_bad=True)


def drawn(columns: list[Column], limit: Limit) -> ET.Element:
    return ET.fromstring(columns_svg("Left, %", columns, limit))


def bars(svg: ET.Element) -> list[tuple[float, float, str]]:
    """Top, height and colour of each column."""
    return [(float(b.attrib["y"]), float(b.attrib["height"]), b.attrib["fill"]) for b in svg.iter("rect")]


def words(svg: ET.Element) -> list[str]:
    return [text.text or "" for text in svg.iter("text")]


def test_columns_are_as_long_as_their_values_and_red_beyond_the_limit() -> None:
    columns = [Column("Mon", "n = 5", 10.0, "10 %"), Column("Tue", "n = 9", 2.5, "2.5 %")]
    (_, long, red), (_, short, calm) = bars(drawn(columns, ALLOWED))
    assert long == pytest.approx(4 * short, rel=0.01)
    assert (red, calm) == (WARN, FILL)


def test_an_overspent_budget_hangs_below_zero_and_stays_inside_the_picture() -> None:
    columns = [Column("Mon", "", 50.0, "50 %"), Column("Tue", "", -500.0, "−500 %")]
    svg = drawn(columns, SPENT)
    (top, height, calm), (hanging, depth, red) = bars(svg)
    assert hanging == pytest.approx(top + height, abs=0.2)
    assert hanging + depth < HEIGHT
    assert (calm, red) == (FILL, WARN)


def test_a_day_without_a_value_has_its_note_and_no_column() -> None:
    svg = drawn([Column("Mon", "no requests", None, "")], SPENT)
    assert bars(svg) == []
    assert "no requests" in words(svg)


def test_texts_are_escaped_for_readers_of_pictures_and_of_text() -> None:
    svg = drawn([Column('<b "x">', "&", 1.0, "<1>")], ALLOWED)
    assert {'<b "x">', "&", "<1>"} <= set(words(svg))
    assert '<b "x">: <1>' in svg.attrib["aria-label"]


def test_a_bar_that_was_not_recorded_is_not_drawn_as_zero() -> None:
    now_and_mark = ET.fromstring(line_svg(50, 100, None, 100))
    assert [b.attrib["width"] for b in now_and_mark.iter("rect")] == ["120.0", "1.6"]
    assert len(list(ET.fromstring(line_svg(50, None, None, 100)).iter("rect"))) == 1
