from __future__ import annotations

from pathlib import Path

import pytest

import budget_model
from budget_model.commands.serve import find_app, server_command, server_environment
from budget_model.errors import SettingsError
from budget_model.settings import load_settings


def test_the_dashboard_of_a_checkout_is_found_with_its_pages() -> None:
    app = find_app()
    assert app.name == "app.py"
    assert (app.parent / "pages" / "hops.py").is_file()


def test_an_installation_without_pages_is_said_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget_model, "__file__", str(tmp_path / "budget_model" / "__init__.py"))
    with pytest.raises(SettingsError, match="neither beside nor inside"):
        find_app()


def test_an_installed_dashboard_is_found_inside_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inside = tmp_path / "budget_model" / "dashboard"
    (inside / "pages").mkdir(parents=True)
    (inside / "app.py").touch()
    monkeypatch.setattr(budget_model, "__file__", str(tmp_path / "budget_model" / "__init__.py"))
    assert find_app() == inside / "app.py"


def test_the_server_listens_where_asked_and_asks_for_nothing() -> None:
    command = server_command(Path("app.py"), 9000, "0.0.0.0", open_browser=False)
    flags = dict(zip(command[5::2], command[6::2], strict=True))
    assert flags["--server.port"] == "9000"
    assert flags["--server.address"] == "0.0.0.0"
    assert flags["--server.headless"] == "true"
    assert flags["--server.showEmailPrompt"] == "false"


def test_pages_are_told_the_home(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    assert server_environment(settings, {"A": "b"}) == {"A": "b", "TAILBUDGET_HOME": str(tmp_path)}
