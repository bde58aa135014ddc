"""Small charts as inline SVG: columns by day, and a bar against its line. No script, no outside font.

Sizes are in SVG user units; the page scales them. All texts are escaped here.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, TOP, BOTTOM = 430, 190, 34, 34
PLOT = HEIGHT - TOP - BOTTOM
INK, QUIET, FILL, WARN, LIMIT = "#16202e", "#4b5869", "#2f7fc1", "#b5483f", "#8a4b00"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its label below, a note under that, the words of its value; None has no column."""

    label: str
    note: str
    value: float | None
    words: str


@dataclass(frozen=True, slots=True)
class Limit:
    """A dashed line across the columns; where ``over_is_bad``, columns above it are red, else those below."""

    value: float
    words: str
    over_is_bad: bool

    def is_broken_by(self, value: float | None) -> bool:
        """Whether a column lies on the bad side; a day without one does not."""
        if value is None:
            return False
        return value > self.value if self.over_is_bad else value < self.value


def columns_svg(title: str, columns: Sequence[Column], limit: Limit) -> str:
    """A column chart with its ``title`` (which names the unit); the axis always includes 0 and the limit."""
    known = [column.value for column in columns if column.value is not None]
    low, high = min([0.0, limit.value, *known]), max([0.0, limit.value, *known])
    room = 0.12 * (high - low) if low < 0 else 0.0  # for the words below a column that hangs down
    scale = _Scale(low - room, high if high > low else low + 1)
    step = WIDTH / max(len(columns), 1)
    drawn = "".join(_column(column, i * step, step, scale, limit) for i, column in enumerate(columns))
    said = f"{title}. " + "; ".join(f"{c.label}: {c.words or c.note}" for c in columns)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(said)}">'
        f"{_text(0, 11, title, size=11, weight=600, anchor='start')}"
        f"{_rule(scale.y(0), QUIET)}{drawn}{_rule(scale.y(limit.value), LIMIT, dashed=True)}"
        f"{_text(WIDTH, 24, '- - ' + limit.words, size=9, colour=LIMIT, anchor='end')}</svg>"
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    def y(self, value: float) -> float:
        return TOP + PLOT * (self.high - value) / (self.high - self.low)


def _column(column: Column, x: float, step: float, scale: _Scale, limit: Limit) -> str:
    middle = x + step / 2
    below = _text(middle, HEIGHT - 20, column.label, size=9) + _text(
        middle, HEIGHT - 8, column.note, size=8.5, colour=QUIET
    )
    if column.value is None:
        return below
    ends = sorted((scale.y(0), scale.y(column.value)))
    fill = WARN if limit.is_broken_by(column.value) else FILL
    bar = (
        f'<rect x="{x + step * 0.2:.1f}" y="{ends[0]:.1f}" width="{step * 0.6:.1f}" '
        f'height="{max(ends[1] - ends[0], 0.8):.1f}" fill="{fill}"/>'
    )
    words_y = ends[1] + 10 if column.value < 0 else ends[0] - 3
    return bar + _text(middle, words_y, column.words, size=9) + below


def _rule(y: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="0" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"{dash}/>'


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: float,
    colour: str = INK,
    anchor: str = "middle",
    weight: int = 400,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}">{html.escape(words)}</text>'
    )


def line_svg(line: float, bar: float | None, before: float | None, full: float) -> str:
    """A bar against its line (the upright mark), with the earlier bar thin below; ``full`` is the width."""
    scale = 120 / full if full > 0 else 0.0
    parts = [
        f'<rect x="0" y="{y}" width="{value * scale:.1f}" height="{height}" fill="{colour}"/>'
        for value, y, height, colour in (
            (bar, 2, 7, FILL if bar is None or bar <= line else WARN),
            (before, 10, 3, "#9aa1aa"),
        )
        if value is not None
    ]
    mark = f'<rect x="{line * scale:.1f}" y="0" width="1.6" height="14" fill="currentColor"/>'
    return f'<svg class="bar" viewBox="0 0 124 14" aria-hidden="true">{"".join(parts)}{mark}</svg>'
