"""A self-contained HTML page for A4 paper: light, no script, nothing fetched from anywhere.

Texts are escaped here; what is passed as ``Markup`` was built from escaped parts.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NewType

Markup = NewType("Markup", str)

CSS = """
@page { size: A4; margin: 14mm 13mm; }
:root { color-scheme: light; }
body { font: 9pt/1.3 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: #16202e; background: #fff; max-width: 190mm; margin: 8mm auto; padding: 0 4mm;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
h1 { font-size: 15pt; margin: 0; } h2 { font-size: 11.5pt; margin: 5mm 0 1mm; overflow-wrap: anywhere; }
.sub { color: #4b5869; margin: 0 0 3mm; } .note { border-left: 3px solid #8a4b00; padding-left: 2.5mm; }
.wrap { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .5mm 2.5mm .5mm 0; border-bottom: 1px solid #d9dfe7; vertical-align: top;
  overflow-wrap: anywhere; }
th { font-weight: 600; color: #4b5869; } tbody th { width: 34mm; } .r { text-align: right; }
.r, .nw { white-space: nowrap; } .wrap th { overflow-wrap: normal; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; margin: 3mm 0; }
@media screen and (max-width: 600px) { .charts { grid-template-columns: 1fr; } }
svg.chart { width: 100%; height: auto; } svg.bar { width: 32mm; height: 3.6mm; }
details { margin: 2mm 0; } summary { cursor: pointer; font-weight: 600; } p, ul { margin: 1.5mm 0; }
section { break-inside: avoid-page; } h2 { break-after: avoid; } tr, svg, details { break-inside: avoid; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def text(words: str) -> Markup:
    """Words as they are, escaped; control characters, which could reorder or break them, become spaces."""
    return Markup(html.escape("".join(c if c.isprintable() else " " for c in words)))


def page(title: str, body: Sequence[Markup]) -> str:
    """The whole document."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{CSS}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def element(tag: str, inner: Markup, css: str = "") -> Markup:
    """One element around safe markup."""
    return Markup(f'<{tag} class="{css}">{inner}</{tag}>' if css else f"<{tag}>{inner}</{tag}>")


def paragraph(words: str, css: str = "") -> Markup:
    """A paragraph of words."""
    return element("p", text(words), css)


def facts(rows: Sequence[tuple[str, str]]) -> Markup:
    """Names and values, a row each."""
    lines = "".join(f"<tr><th>{text(name)}</th><td>{text(value)}</td></tr>" for name, value in rows)
    return Markup(f"<table><tbody>{lines}</tbody></table>")


def table(heads: Sequence[str], rows: Sequence[Sequence[Markup]], right: frozenset[int]) -> Markup:
    """A table; the columns in ``right`` are numbers."""

    def cell(tag: str, inner: Markup, place: int) -> str:
        return element(tag, inner, "r" if place in right else "")

    head = "".join(cell("th", text(words), i) for i, words in enumerate(heads))
    body = "".join(f"<tr>{''.join(cell('td', inner, i) for i, inner in enumerate(row))}</tr>" for row in rows)
    inner = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return element("div", Markup(inner), "wrap")


def details(summary: str, lines: Sequence[str]) -> Markup:
    """Lines that can be folded away; they are open, since paper cannot be clicked."""
    items = "".join(element("li", text(line)) for line in lines)
    return Markup(f"<details open><summary>{text(summary)}</summary><ul>{items}</ul></details>")
