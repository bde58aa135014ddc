"""Prompt versions below the Hops page's split by prompt: how each did, and what its text changed."""

from __future__ import annotations

import streamlit as st

from budget_model.domain.text_difference import Change, Line, Part
from budget_model.queries.results import QuantileEstimate
from budget_model.services.prompt_versions import TextChange, VersionRow
from budget_model.views import address, draw, tables, text
from budget_model.views import format as words
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

CHOSEN = "version"
"""The version whose text is shown, as a label, in the address; without it the texts are folded away."""

MOST = 100
"""Versions listed at all; the command lists every one."""

MOST_LINES = 400
LONGEST_ALIKE = 320
"""Characters of a line that did not change from which on its middle is left out."""

_OPEN = "prompt-text"


def render(page: Page, q: float) -> None:
    """Draw the section; ``q`` is the page's percentile."""
    found = page.workspace.prompts.table(page.answers.prompts(page.filter, q))
    if not found.rows:
        return
    draw.heading("Prompt versions")
    rows = found.rows[:MOST]
    tables.show(_columns(q), [_cells(row, page) for row in rows], key="prompt-versions", caption="Versions")
    said = [f"Showing {MOST} of {len(found.rows):,} versions."] if len(found.rows) > MOST else []
    if found.unused:
        said.append(f"{words.plural(found.unused, 'more version')} of these prompts without a request here.")
    if said:
        st.caption(" ".join(said))
    _texts(page, rows)


def _columns(q: float) -> tuple[Column, ...]:
    name = words.percentile(q)
    return (
        Column("Version"),
        Column(f"End to end {name}", "r", "with its grade: A, B, or C for too few samples"),
        Column("Requests", "r", "ok requests that have an end-to-end time"),
        Column(f"Time to first token {name}", "r"),
        Column("Requests", "r", "ok requests that have a time to first token"),
        Column("Seen (UTC)", "r", "first and last start of its requests"),
        Column("Text", "l", "what it changed from the version before it"),
    )


def _cells(row: VersionRow, page: Page) -> list[Cell | str]:
    f = row.figures
    only = page.filter.with_values("prompt", (f.label,))
    return [
        tables.link(f.label, address.href("Traces", only, **address.kept("q"))),
        tables.estimate(f.e2e, graded=True),
        _counted(f.e2e, f"{f.failed:,} failed"),
        tables.estimate(f.ttft, graded=True),
        _counted(f.ttft, f"{f.ttft_missing:,} without"),
        Cell(f"{_seen(f.first_us)}<br><small>{_seen(f.last_us)}</small>"),
        _text(row, page),
    ]


def _counted(value: QuantileEstimate, below: str) -> Cell:
    return Cell(f"{value.n:,}<br><small>{below}</small>")


def _seen(time_us: int | None) -> str:
    return f'<span class="nw">{"–" if time_us is None else words.minute(time_us)}</span>'


def _text(row: VersionRow, page: Page) -> Cell:
    """A link to what the version changed, which opens the section's texts at it."""
    if not row.has_text:
        return Cell("not known")
    label = "text" if row.before is None else f"beside {row.before}"
    href = address.href(
        "Hops", page.filter, **address.kept("q", "metric", "by"), **{CHOSEN: row.figures.label}
    )
    return Cell(f'<span class="nw">{tables.anchor(label, href, 40)}</span>')


def _texts(page: Page, rows: tuple[VersionRow, ...]) -> None:
    labels = [row.figures.label for row in rows]
    chosen = address.read(CHOSEN)
    st.session_state[_OPEN] = chosen in labels
    default = next((row.figures.label for row in rows if row.before is not None and row.has_text), labels[0])
    with st.expander("What changed in the text", key=_OPEN, on_change=_opened, args=(default,)) as folder:
        if folder.open:
            label = _choice(labels, chosen if chosen in labels else default)
            figures = rows[labels.index(label)].figures
            _change(page.workspace.prompts.change(figures.name, figures.version))


def _opened(default: str) -> None:
    address.write(CHOSEN, default if st.session_state[_OPEN] else "")


def _choice(labels: list[str], chosen: str) -> str:
    key = "prompt-version"
    st.session_state[key] = chosen
    answer = st.selectbox(
        "Version",
        labels,
        key=key,
        format_func=lambda label: text.plain(label, 80),
        on_change=lambda: address.write(CHOSEN, st.session_state[key]),
        width=420,
    )
    return str(answer or chosen)


def _change(change: TextChange) -> None:
    for remark in change.remarks:
        st.caption(text.markdown(remark, 400))
    found = change.difference
    if found is None:
        if change.text is not None:
            _draw([Line(Change.SAME, (Part(Change.SAME, one),)) for one in change.text.split("\n")])
        return
    if found.is_none:
        st.caption(f"The same text as version {text.markdown(change.before)}.")
        return
    st.caption(
        f"Version {text.markdown(change.version)} beside {text.markdown(change.before)}: "
        f"{words.plural(found.words_removed, 'word')} removed, {found.words_added:,} added."
    )
    _draw(list(found.lines))


def _draw(lines: list[Line]) -> None:
    shown = "".join(_line(line) for line in lines[:MOST_LINES])
    st.html(f'<div class="tb-text" role="group" aria-label="Text of the prompt">{shown}</div>')
    if len(lines) > MOST_LINES:
        st.caption(
            f"Showing {MOST_LINES} of {len(lines):,} lines; `tailbudget prompts --diff` prints them all."
        )


MARKS = {Change.SAME: "", Change.REMOVED: "−", Change.ADDED: "+"}
"""How a line begins; its colour says the same."""


def _line(line: Line) -> str:
    if line.change is Change.LEFT_OUT:
        return f'<div class="out">{words.plural(line.count, "line")} alike</div>'
    parts = "".join(_part(part, line) for part in line.parts) or "&nbsp;"
    said = "" if line.change is Change.SAME else f' aria-label="{line.change}"'
    return f'<div class="{line.change}"><i{said}>{MARKS[line.change]}</i><bdi>{parts}</bdi></div>'


def _part(part: Part, line: Line) -> str:
    shown = text.exact(part.text)
    if part.change is not Change.SAME:
        # A line that came or went as a whole says so by itself.
        return shown if len(line.parts) == 1 else f"<mark>{shown}</mark>"
    if len(part.text) <= LONGEST_ALIKE:
        return shown
    half = LONGEST_ALIKE // 2 - 20
    left_out = len(part.text) - 2 * half
    gap = f'<span class="gap" title="{left_out:,} characters that did not change"> … </span>'
    return text.exact(part.text[:half]) + gap + text.exact(part.text[-half:])
