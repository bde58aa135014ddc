"""Coverage by service on the Data page."""

from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.services.instrument_lines import LINES
from budget_model.views import coverage_table
from tests.app.conftest import Open
from tests.app.homes import HOSTILE, import_into, request_log, traces
from tests.app.test_pages import words


def test_without_data_the_section_says_what_it_will_show(open_page: Open) -> None:
    at = open_page("data")
    assert not at.exception
    assert coverage_table.EMPTY in words(at)


def test_a_service_stands_in_the_table_with_what_it_sends_and_lacks(
    open_page: Open, home: Path, tmp_path: Path
) -> None:
    import_into(home, traces(tmp_path / "traces.json", 12))
    at = open_page("data")
    assert not at.exception
    said = words(at)
    row = said[said.index("Coverage by service") :].partition("</table>")[0]
    assert "12 spans" in row
    assert 'title="1 of 1 ok requests; 10 spans, 1 Dec 2026' in row
    assert "tenant" in row
    assert 'title="no region: figures cannot be split by region for 1 of 1 ok request"' in row
    assert "tenant: figures" not in row


def test_the_chosen_gap_shows_its_lines(open_page: Open, home: Path, tmp_path: Path) -> None:
    import_into(home, traces(tmp_path / "traces.json", 12))
    at = open_page("data")
    box = at.selectbox(key="coverage-gap")
    [place] = [place for place, option in enumerate(box.options) if "no region" in option]
    box.set_value(place).run()
    shown = [code.value for code in at.code]
    assert LINES["region"].otel in shown
    assert LINES["region"].mlflow in shown


def test_a_request_log_is_said_to_have_no_spans_and_lacks_nothing(
    open_page: Open, home: Path, tmp_path: Path
) -> None:
    import_into(home, request_log(tmp_path / "log.jsonl", ("acme",)))
    at = open_page("data")
    said = words(at)
    row = said[said.index("Coverage by service") :].partition("</table>")[0]
    assert "request log" in row
    assert "figures, no spans" in row
    assert not [box for box in at.selectbox if box.key == "coverage-gap"]


@pytest.mark.parametrize("label", HOSTILE)
def test_a_services_name_is_text(open_page: Open, home: Path, tmp_path: Path, label: str) -> None:
    import_into(home, traces(tmp_path / "traces.json", 4, name=label))
    at = open_page("data")
    assert not at.exception
    assert "<script>" not in words(at)
    assert all(option.startswith(label[:8]) for option in at.selectbox(key="coverage-gap").options)


def test_many_services_are_a_click_away(
    open_page: Open, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage_table, "SHOWN", 1)
    import_into(home, traces(tmp_path / "traces.json", 4, name="zebra"))
    import_into(home, request_log(tmp_path / "log.jsonl", ("acme",)))
    at = open_page("data")
    assert "figures, no spans" not in words(at)
    at.toggle(key="all-services").set_value(True).run()
    assert "figures, no spans" in words(at)
