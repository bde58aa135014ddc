from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from budget_model.errors import RemoteError
from budget_model.sources.mlflow.connect import open_store


@pytest.mark.parametrize("table", ["books (title TEXT)", "alembic_version (version_num TEXT)"])
def test_a_database_of_something_else_is_said_to_be_no_store_of_mlflow(tmp_path: Path, table: str) -> None:
    with sqlite3.connect(tmp_path / "other.db") as database:
        database.execute(f"CREATE TABLE {table}")
    database.close()
    with pytest.raises(RemoteError, match=r"other\.db: this database is not an MLflow store"):
        open_store(f"sqlite:///{tmp_path}/other.db")


def test_a_file_that_is_no_database_is_refused_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("not a database at all, but long enough to be looked at\n" * 20)
    with pytest.raises(RemoteError, match=r"notes\.db: cannot be read \(file is not a database\)"):
        open_store(f"sqlite:///{tmp_path}/notes.db")
