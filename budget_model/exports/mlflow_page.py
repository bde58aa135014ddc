"""A small page of HTML that needs nothing from anywhere: all text escaped, its style inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:60rem;color:#1c2733;background:#fff}"
    "table{border-collapse:collapse;margin:1rem 0}"
    "th,td{border-bottom:1px solid #d5dbe1;padding:.3rem .8rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left}"
)


@dataclass(frozen=True, slots=True)
class Table:
    """Titles of columns, and rows as long as they are. All of it is text."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


def html_page(title: str, sentences: Sequence[str], tables: Sequence[Table]) -> str:
    """A page with a heading, a paragraph a sentence, and tables."""
    name = escape(title)
    said = "".join(f"<p>{escape(one)}</p>\n" for one in sentences)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{name}</h1>\n{said}"
        f"{''.join(map(_table, tables))}</body>\n</html>\n"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in table.titles)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in table.rows)
    return f"<table>\n<tr>{head}</tr>\n{rows}</table>\n"
