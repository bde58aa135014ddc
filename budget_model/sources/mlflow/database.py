"""The database behind a tracking server, read only: SQLite files and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import BindParameter, Engine, bindparam, create_engine, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from budget_model.errors import RemoteError
from budget_model.sources.mlflow.limits import Limits

_FETCH = 5_000


class MlflowDatabase:
    """Questions to one database, none of which can write.

    Raises RemoteError for an address that is none or a database that cannot be opened.
    """

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        try:
            parsed = make_url(url.strip())
        except ArgumentError as error:
            raise RemoteError(
                "the address of MLflow's database must be sqlite:///FILE or postgresql://..."
            ) from error
        self.kind = "postgresql" if parsed.drivername.startswith("postgres") else parsed.get_backend_name()
        self.address = parsed.set(drivername=self.kind).render_as_string(hide_password=True)
        self._engine = _open(parsed, self.kind, self.address, limits)

    def rows(self, sql: str, params: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT with values bound by name; a list fills ``IN :name``. Raises RemoteError."""
        params = dict(params or {})
        lists = [_expanding(name) for name, value in params.items() if isinstance(value, list)]
        statement = text(sql).bindparams(*lists) if lists else text(sql)
        try:
            with self._engine.connect() as connection:
                found = connection.execution_options(yield_per=_FETCH).execute(statement, params)
                for part in found.partitions(_FETCH):
                    yield from map(tuple, part)
        except SQLAlchemyError as problem:
            raise self._unreadable(problem) from problem

    def version(self) -> str:
        """The schema's version as MLflow writes it down. Raises RemoteError when there is none."""
        there = self._has_table("alembic_version")
        found = [row[0] for row in self.rows("SELECT version_num FROM alembic_version")] if there else []
        if len(found) != 1:
            raise RemoteError(
                f"{self.address}: this database is not an MLflow store (it has no schema version)"
            )
        return str(found[0])

    def _has_table(self, name: str) -> bool:
        try:
            return inspect(self._engine).has_table(name)
        except SQLAlchemyError as problem:
            raise self._unreadable(problem) from problem

    def _unreadable(self, problem: SQLAlchemyError) -> RemoteError:
        cause = str(getattr(problem, "orig", None) or problem).strip().splitlines()[0]
        return RemoteError(f"{self.address}: cannot be read ({cause})")

    def close(self) -> None:
        """Give up all connections."""
        self._engine.dispose()


def _expanding(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


def _open(url: URL, kind: str, address: str, limits: Limits) -> Engine:
    if kind == "sqlite":
        path = Path(url.database or "")
        if not path.is_file():
            raise RemoteError(f"{address}: there is no such file")
        return create_engine(
            f"sqlite:///file:{path.absolute()}?mode=ro&uri=true", connect_args={"timeout": limits.silence_s}
        )
    if kind == "postgresql":
        options = f"-c default_transaction_read_only=on -c statement_timeout={limits.answer_s * 1000:.0f}"
        settings = {"options": options, "connect_timeout": max(2, round(limits.connect_s))}
        return create_engine(url.set(drivername="postgresql+psycopg"), connect_args=settings)
    raise RemoteError(f"{address}: only SQLite and PostgreSQL are read directly; give the server's address")
