"""Opening the ledger's database: engine, durability, and its tables brought to today's version."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from budget_model.errors import StoreError

HEAD = "0005"
"""Version of the tables that this program reads and writes."""

_BUSY_MS = 30_000
_WAY_OUT = "give this user the right to write there, or choose another folder with --home"


def open_database(url: str) -> Engine:
    """An engine on the database at ``url`` with its tables at version ``HEAD``.

    A missing SQLite file is made. Raises StoreError when the database cannot be opened, is damaged,
    or was written by a newer program.
    """
    engine = _engine(url)
    try:
        version = _version(engine)
        if version != HEAD:
            _upgrade(engine, version)
    except SQLAlchemyError as problem:
        engine.dispose()
        raise StoreError(describe(url, problem)) from problem
    except StoreError:
        engine.dispose()
        raise
    return engine


def describe(url: str, problem: SQLAlchemyError) -> str:
    """One sentence for a database problem, saying what to do."""
    cause = str(getattr(problem, "orig", None) or problem)
    place = sqlite_path(url) or make_url(url).render_as_string(hide_password=True)
    if isinstance(problem, DatabaseError) and ("malformed" in cause or "not a database" in cause):
        return f"{place} is damaged ({cause}); run `tailbudget doctor --repair`, which keeps a copy of it"
    locked = _unwritable(place) if isinstance(place, Path) else None
    if locked is not None:
        return f"{locked} cannot be written, which the ledger needs even to be read; {_WAY_OUT}"
    return f"{place} cannot be used as the ledger: {cause}"


def _unwritable(ledger: Path) -> Path | None:
    needed = (ledger.parent, ledger)
    return next((path for path in needed if path.exists() and not os.access(path, os.W_OK)), None)


def sqlite_path(url: str) -> Path | None:
    """The file of an SQLite URL, None for any other database."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        return None
    return Path(parsed.database)


def _engine(url: str) -> Engine:
    path = sqlite_path(url)
    if path is None:
        return create_engine(_with_driver(url), pool_pre_ping=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(
            f"{path.parent} cannot be made or opened ({problem.strerror}); {_WAY_OUT}"
        ) from problem
    engine = create_engine(url, connect_args={"timeout": _BUSY_MS / 1000})
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _with_driver(url: str) -> URL:
    """``postgresql://`` as people write it, with the driver that is installed."""
    parsed = make_url(url)
    plain = parsed.drivername in ("postgresql", "postgres")
    return parsed.set(drivername="postgresql+psycopg") if plain else parsed


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _version(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(engine: Engine, version: str | None) -> None:
    if version is not None and version > HEAD:
        raise StoreError(
            f"the ledger has version {version} and this program knows {HEAD}: use a newer tailbudget"
        )
    # Alembic costs a fifth of a second to import, so it is loaded only when there is something to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "budget_model.store:migrations")
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, HEAD)
