"""HTML tables with links, aligned numbers and escaped labels: lighter to read than a data grid.

A cell is a plain text, which is escaped, or a ``Cell`` built here or by a page from escaped parts.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from budget_model.domain.hops import HOPS
from budget_model.queries.results import QuantileEstimate
from budget_model.views import format as words
from budget_model.views import text


@dataclass(frozen=True, slots=True)
class Cell:
    """Markup that is already safe; ``align`` is "l" or "r"."""

    markup: str
    align: str = "l"


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, what it means on hover, and the alignment of its cells."""

    title: str
    align: str = "l"
    meaning: str = ""


def show(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell | str]], *, key: str, caption: str = ""
) -> None:
    """Draw the table; ``key`` names it for tests and styles, ``caption`` for screen readers."""
    with st.container(key=key):
        st.html(table(columns, rows, caption=caption))


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell | str]], *, caption: str = "") -> str:
    """The table's markup."""
    head = "".join(
        f'<th class="{_class(c)}" title="{html.escape(c.meaning)}">{html.escape(c.title)}</th>'
        for c in columns
    )
    body = "".join(
        "<tr>" + "".join(_cell(cell, column) for cell, column in zip(row, columns, strict=True)) + "</tr>"
        for row in rows
    )
    label = f' aria-label="{html.escape(caption)}"' if caption else ""
    inner = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="tb-wrap"><table class="tb-table"{label}>{inner}</table></div>'


def _class(column: Column) -> str:
    return "r" if column.align == "r" else ""


def _cell(cell: Cell | str, column: Column) -> str:
    inner = cell.markup if isinstance(cell, Cell) else html.escape(cell)
    return f'<td class="{_class(column)}">{inner}</td>'


def link(label: str | None, href: str, limit: int = 48) -> Cell:
    """A link in the same tab; the label is text from data."""
    return Cell(anchor(label, href, limit))


def anchor(label: str | None, href: str, limit: int = 80, css: str = "") -> str:
    """Markup of a link in the same tab."""
    return f'<a class="{css}" href="{html.escape(href)}" target="_self">{text.markup(label, limit)}</a>'


def outward(label: str, href: str) -> str:
    """Markup of a link to another program's page, in a tab of its own; ``href`` is an http address."""
    return (
        f'<a class="tb-link" href="{html.escape(href)}" target="_blank" rel="noopener noreferrer">'
        f"{text.markup(label)} ↗</a>"
    )


def hop_name(hop: str) -> Cell:
    """A hop with its colour beside its name."""
    return Cell(hop_markup(hop))


def hop_markup(hop: str) -> str:
    """Markup of a hop's colour and name."""
    return f'<span class="nw"><span class="tb-dot hop-{hop}"></span>{html.escape(hop)}</span>'


def grade(value: QuantileEstimate) -> Cell:
    """The grade of an estimate as a badge."""
    return Cell(grade_markup(value.grade))


def grade_markup(letter: str) -> str:
    """A grade badge, with its meaning on hover."""
    meaning = html.escape(words.GRADE_WORDS.get(letter, ""))
    return f'<span class="tb-grade {letter}" title="{meaning}">{html.escape(letter)}</span>'


def estimate(value: QuantileEstimate, *, graded: bool = False) -> Cell:
    """A percentile with its interval below, and its grade; pale when the sample is too small."""
    few = " tb-few" if value.grade == "C" else ""
    meaning = html.escape(words.GRADE_WORDS.get(value.grade, ""))
    badge = f"{grade_markup(value.grade)} " if graded and value.value_ms is not None else ""
    shown = f'<span class="nw{few}" title="{meaning}">{words.estimate(value)}</span>'
    return Cell(f"{badge}{shown}<br><small>{interval_markup(value)}</small>")


def interval_words(value: QuantileEstimate) -> str:
    """The interval, or that the sample is too small for one."""
    if value.value_ms is None:
        return words.sample(value.n)
    if value.grade == "C":
        return words.too_few(value)
    return words.interval(value.interval)


def interval_markup(value: QuantileEstimate) -> str:
    """Like ``interval_words``, short enough for a column; how small a sample is stands on hover."""
    said = html.escape(interval_words(value))
    if value.value_ms is None or value.grade != "C":
        return said
    return f'<span title="{said}">{words.too_few_short(value)}</span>'


def hop_legend() -> str:
    """Markup that names the hop colours, in path order."""
    return f'<div class="tb-legend">{"".join(hop_markup(hop) for hop in HOPS)}</div>'


def path_bar(path_ms: Sequence[float | None], full_ms: float) -> Cell:
    """A request's hop times as one thin bar, as long as its share of ``full_ms``."""
    parts = [(hop, ms) for hop, ms in zip(HOPS, path_ms, strict=True) if ms]
    said = ", ".join(f"{hop} {words.duration(ms)}" for hop, ms in parts)
    width = 100 / full_ms if full_ms else 0
    inner = "".join(f'<i class="hop-{hop}" style="width:{ms * width:.3f}%"></i>' for hop, ms in parts)
    return Cell(f'<div class="tb-bar" role="img" aria-label="{said}" title="{said}">{inner}</div>')
