from __future__ import annotations

from pathlib import Path

from budget_model.services.mapping import SpanNameRow
from budget_model.services.rebuild import RebuildReport
from budget_model.views import jobs, mapping_table
from tests.app.conftest import Open
from tests.app.homes import import_into, traces
from tests.app.test_bring_in import finished
from tests.app.test_pages import words

ROWS = [
    SpanNameRow("chat.request", "app", "SERVER", 10, 1.0, None, "", "t1"),
    SpanNameRow("search", "rag", "CLIENT", 10, 0.2, "retrieval", "usual names", "t1"),
]


def test_only_rows_that_were_changed_are_asked_for() -> None:
    state = {"edited_rows": {0: {"Hop": "gateway"}, 1: {"Hop": "retrieval"}}}
    assert mapping_table.pending(ROWS, state) == [(ROWS[0], "gateway")]


def test_not_mapped_takes_the_users_rule_back() -> None:
    state = {"edited_rows": {1: {"Hop": mapping_table.UNMAPPED}}}
    assert mapping_table.pending(ROWS, state) == [(ROWS[1], None)]


def test_the_table_shows_unmapped_names_as_such_and_keeps_texts_plain() -> None:
    shown = mapping_table.table([SpanNameRow("<b>x</b>", "", "", 1, None, None, "", "t")])
    assert shown["Hop"].tolist() == [mapping_table.UNMAPPED]
    assert shown["Span name"].tolist() == ["<b>x</b>"]


def test_facts_are_made_again_and_the_page_says_so(open_page: Open, home: Path, tmp_path: Path) -> None:
    import_into(home, traces(tmp_path / "traces.json", 12))
    mapping_table.start_rebuild()
    assert isinstance(finished().answer, RebuildReport)
    at = open_page("data")
    assert not at.exception
    assert "Made 1 request again, from 12 spans" in words(at)
    at.button(key="job-dismiss").click().run()
    assert jobs.jobs().current is None
