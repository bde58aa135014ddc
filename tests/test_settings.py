from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import SettingsError
from budget_model.settings import load_settings

HOME = Path("/srv/tailbudget")


@pytest.mark.parametrize("name", ["WORKERS", "QUERY_THREADS", "QUERY_MEMORY_MB"])
@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", "999999999999"])
def test_a_count_outside_what_a_machine_has_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"TAILBUDGET_{name}=.*a whole number from 1 to"):
        load_settings(HOME, {f"TAILBUDGET_{name}": value})


@pytest.mark.parametrize("value", ["1,a", "4,2", "2,2", "0,5", ","])
def test_bucket_edges_that_do_not_rise_are_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="rising whole numbers"):
        load_settings(HOME, {"TAILBUDGET_BUCKET_EDGES": value})


def test_an_explicit_home_wins_over_the_environment() -> None:
    assert load_settings(HOME, {"TAILBUDGET_HOME": "/elsewhere"}).home == HOME
    assert load_settings(None, {"TAILBUDGET_HOME": "/elsewhere"}).home == Path("/elsewhere")


def test_a_switch_is_on_or_off() -> None:
    assert load_settings(HOME, {"TAILBUDGET_CORRECT_SKEW": "on"}).correct_skew
    with pytest.raises(SettingsError, match="on or off"):
        load_settings(HOME, {"TAILBUDGET_CORRECT_SKEW": "maybe"})


@pytest.mark.parametrize("url", ["nonsense", "mysql://user:secret@host/name", "sqlite://"])
def test_a_database_that_is_not_supported_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match="postgresql://") as refusal:
        load_settings(None, {"TAILBUDGET_DATABASE_URL": url})
    assert "secret" not in str(refusal.value)


def test_how_to_sign_in_at_mlflow_is_read_as_its_client_reads_it_and_not_shown() -> None:
    names = ("USERNAME", "PASSWORD", "TOKEN")
    settings = load_settings(HOME, {f"MLFLOW_TRACKING_{name}": f"s3cret-{name}" for name in names})
    assert settings.mlflow_login.token == "s3cret-TOKEN"
    assert "s3cret" not in repr(settings)
