"""Tests that need a program the machine lacks are reported as not run, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.ensure_programs import PROGRAMS
from tests.mlflow_server import MlflowServer, serving


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    for program in PROGRAMS.values():
        count = sum(program.advice in reason for reason in reasons)
        if count:
            terminalreporter.write_sep("!", f"{count} {program.needed_for} tests were NOT RUN", red=True)
            terminalreporter.write_line(program.advice)


@pytest.fixture(scope="session")
def mlflow_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MlflowServer]:
    """One real MLflow server for all tests of a run; each test uses experiments of its own."""
    with serving(tmp_path_factory.mktemp("mlflow")) as server:
        yield server
