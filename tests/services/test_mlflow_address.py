from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import SettingsError
from budget_model.services.mlflow_address import has_credentials, public_address

HERE = Path.cwd()


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("http://mlflow.example:5000", "http://mlflow.example:5000"),
        (" HTTPS://MLflow.example/team/ ", "https://mlflow.example/team"),
        ("https://ann:s3cret@mlflow.example/?token=s3cret#s3cret", "https://mlflow.example"),
        ("http://token-s3cret@[::1]:5000/", "http://[::1]:5000"),
        ("sqlite:////srv/mlflow.db", "sqlite:////srv/mlflow.db"),
        ("sqlite:///mlflow.db", f"sqlite:///{HERE}/mlflow.db"),
        ("postgresql://db/mlflow", "postgresql://db/mlflow"),
        ("postgres://ann:s3cret@db:5433/mlflow", "postgresql://ann@db:5433/mlflow"),
        ("postgresql+psycopg2://ann@db/m?password=s3cret&host=/run", "postgresql://ann@db/m?host=%2Frun"),
    ],
)
def test_an_address_is_whole_but_for_its_credentials(uri: str, shown: str) -> None:
    assert public_address(uri) == shown
    assert public_address(shown) == shown
    assert has_credentials(uri) == ("s3cret" in uri)


@pytest.mark.parametrize(
    "uri", ["", "mlflow.db", "databricks", "ftp://s3cret", "http://:5000", "http://s3cret:x5/", "sqlite:///"]
)
def test_anything_else_is_refused_without_being_repeated(uri: str) -> None:
    with pytest.raises(SettingsError, match="is accepted") as refusal:
        public_address(uri)
    assert "s3cret" not in str(refusal.value).replace("'x5'", "")
