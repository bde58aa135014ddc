"""A ledger on each database it may be kept in; PostgreSQL is really started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from budget_model.settings import load_settings
from budget_model.store.ledger import Ledger
from tests import postgres


@pytest.fixture(scope="module")
def postgres_server() -> Iterator[str]:
    binaries = postgres.find_binaries()
    if binaries is None:
        pytest.skip(postgres.NOT_FOUND)
    with postgres.cluster(binaries) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    env = {}
    if request.param == "postgresql":
        env["TAILBUDGET_DATABASE_URL"] = _fresh_database(request.getfixturevalue("postgres_server"), request)
    opened = Ledger(load_settings(tmp_path, env))
    yield opened
    opened.close()


def _fresh_database(server: str, request: pytest.FixtureRequest) -> str:
    name = f"t{abs(hash(request.node.nodeid))}"
    engine = create_engine(
        server.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.rsplit("/", 1)[0] + f"/{name}"
