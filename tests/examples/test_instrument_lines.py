"""The lines that the product and the guide offer do add what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.services.coverage import Coverage, service_coverage
from budget_model.services.coverage_gaps import KINDS
from budget_model.services.importing import import_files
from budget_model.services.instrument_lines import LINES
from budget_model.services.workspace import Workspace
from tests.examples.bare_service import trace_with_otel
from tests.services.homes import home

GUIDE = (Path(__file__).parents[2] / "docs" / "INSTRUMENT.md").read_text(encoding="utf-8")


def covered(folder: Path, lines: list[str], service: str = "app") -> Coverage:
    """What comes in of one bare request with ``lines`` in it."""
    trace_with_otel(folder / "otlp.jsonl", lines, service)
    at = home(folder / "home", workers=1)
    import_files(at, [folder / "otlp.jsonl"])
    workspace = Workspace(at)
    try:
        return service_coverage(workspace)
    finally:
        workspace.close()


def codes(found: Coverage) -> set[str]:
    return {gap.code for one in found.services for gap in one.gaps}


def test_every_kind_of_gap_has_lines_and_all_lines_are_for_one() -> None:
    assert {kind.lines for kind in KINDS.values()} == set(LINES)


def test_a_bare_service_lacks_everything_but_a_name_and_the_call(tmp_path: Path) -> None:
    assert codes(covered(tmp_path, [])) == KINDS.keys() - {"service_name", "model_call"}


@pytest.mark.parametrize("code", [code for code in KINDS if code not in ("service_name", "model_call")])
def test_the_opentelemetry_lines_close_their_gap(tmp_path: Path, code: str) -> None:
    assert code not in codes(covered(tmp_path, [LINES[KINDS[code].lines].otel]))


def test_the_opentelemetry_lines_name_a_service(tmp_path: Path) -> None:
    found = covered(tmp_path, [LINES["service name"].otel], service="")
    assert [one.service for one in found.services] == ["rag-server"]
    assert "service_name" not in codes(found)


def test_all_opentelemetry_lines_together_leave_nothing_missing(tmp_path: Path) -> None:
    found = covered(tmp_path, [lines.otel for name, lines in LINES.items() if name != "service name"])
    assert codes(found) == set()


@pytest.mark.parametrize("name", LINES)
def test_the_guide_shows_the_same_lines(name: str) -> None:
    section = GUIDE.split("## Lines that add what is missing\n")[1].split("\n## ")[0]
    for code in (LINES[name].otel, LINES[name].mlflow):
        assert code in section
