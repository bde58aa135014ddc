"""Saving and reading budgets. Every write is one transaction that also writes the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from budget_model.domain.budget import Budget, BudgetContent, BudgetState
from budget_model.domain.budget_steps import step_refusal
from budget_model.domain.names import check_name
from budget_model.errors import BudgetConflictError, BudgetError, StoreError
from budget_model.store.budget_models import SqlAudit, SqlBudget, SqlStep
from budget_model.store.database import describe
from budget_model.store.ledger import Ledger


@dataclass(frozen=True, slots=True)
class By:
    """Who acts, when (UTC microseconds) and why.

    Raises BudgetError when ``who`` is blank or no name that ``check_name`` accepts.
    """

    who: str
    at_us: int
    why: str

    def __post_init__(self) -> None:
        if not self.who.strip():
            raise BudgetError("a name is needed: budgets say who changed them")
        check_name("a person's name", self.who)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the audit log."""

    at_us: int
    who: str
    action: str
    subject: str
    why: str


class BudgetCatalog:
    """Budgets, in the ledger's database; safe to share between threads.

    Raises StoreError when the database cannot be used.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._url = ledger.settings.database_url
        self._engine = ledger.engine

    def names(self) -> list[str]:
        """Names of all budgets, sorted."""
        with self._session() as session:
            return list(session.scalars(select(SqlBudget.name).distinct().order_by(SqlBudget.name)))

    def versions(self, name: str) -> list[Budget]:
        """All versions of a budget, newest first. Raises BudgetError when there is none."""
        with self._session() as session:
            rows = session.scalars(
                select(SqlBudget).where(SqlBudget.name == name).order_by(SqlBudget.version.desc())
            )
            found = [row.to_domain() for row in rows]
        if not found:
            known = ", ".join(self.names()) or "none yet"
            raise BudgetError(f"there is no budget {name!r}; budgets: {known}")
        return found

    def version(self, name: str, number: int | None = None) -> Budget:
        """One version; without a number the approved one, else the newest."""
        versions = self.versions(name)
        if number is None:
            approved = [v for v in versions if v.state is BudgetState.APPROVED]
            return (approved or versions)[0]
        for found in versions:
            if found.version == number:
                return found
        raise BudgetError(f"budget {name!r} has no version {number}; newest is {versions[0].version}")

    def save_draft(self, name: str, content: BudgetContent, by: By, opened_version: int) -> Budget:
        """Save a new version on top of ``opened_version`` (0: the name is new).

        Raises BudgetError for a name that is not accepted, and BudgetConflictError, with nothing saved,
        when somebody saved in between.
        """
        if not name.strip():
            raise BudgetError("a budget needs a name")
        check_name("a budget's name", name)
        with self._session(name) as session:
            newest = session.scalar(select(func.max(SqlBudget.version)).where(SqlBudget.name == name)) or 0
            if newest != opened_version:
                raise _conflict(session, name, newest, opened_version)
            row = SqlBudget(name=name, version=newest + 1, content=msgspec.to_builtins(content))
            session.add(row)
            row.steps.append(_step(0, BudgetState.DRAFT, by))
            session.add(_audit("save", row, by))
            session.flush()
            return row.to_domain()

    def move(self, name: str, number: int, state: BudgetState, by: By) -> Budget:
        """Bring a version to another state; approving retires the version approved before.

        Raises BudgetError for a step that is not allowed, such as approving one's own proposal, and
        BudgetConflictError when somebody moved the version at the same moment.
        """
        with self._session(name) as session:
            row = _row(session, name, number)
            _check_step(row, state, by)
            if state is BudgetState.APPROVED:
                self._retire_approved(session, name, by, f"replaced by version {number}")
            _append(session, row, state, by)
            session.flush()
            return row.to_domain()

    def audit(self, limit: int = 200) -> list[AuditLine]:
        """The newest lines of the audit log, newest first."""
        with self._session() as session:
            rows = session.scalars(select(SqlAudit).order_by(SqlAudit.id.desc()).limit(limit))
            return [AuditLine(r.at_us, r.who, r.action, r.subject, r.why) for r in rows]

    def _retire_approved(self, session: Session, name: str, by: By, why: str) -> None:
        for row in session.scalars(select(SqlBudget).where(SqlBudget.name == name)):
            if row.steps[-1].state == BudgetState.APPROVED:
                _append(session, row, BudgetState.RETIRED, By(by.who, by.at_us, why))

    @contextmanager
    def _session(self, name: str = "") -> Iterator[Session]:
        try:
            with Session(self._engine) as session, session.begin():
                yield session
        except IntegrityError as clash:
            raise BudgetConflictError(
                f"somebody changed {name!r} at the same moment; nothing of yours was saved, try again"
            ) from clash
        except SQLAlchemyError as problem:
            raise StoreError(describe(self._url, problem)) from problem


def _row(session: Session, name: str, number: int) -> SqlBudget:
    row = session.scalar(select(SqlBudget).where(SqlBudget.name == name, SqlBudget.version == number))
    if row is None:
        raise BudgetError(f"budget {name!r} has no version {number}")
    return row


def _check_step(row: SqlBudget, state: BudgetState, by: By) -> None:
    refusal = step_refusal(row.to_domain().steps, state, by.who)
    if refusal is not None:
        raise BudgetError(f"version {row.version} of {row.name!r} {refusal}")


def _append(session: Session, row: SqlBudget, state: BudgetState, by: By) -> None:
    row.steps.append(_step(len(row.steps), state, by))
    session.add(_audit(state, row, by))


def _step(position: int, state: BudgetState, by: By) -> SqlStep:
    return SqlStep(position=position, state=state, who=by.who, at_us=by.at_us, why=by.why)


def _audit(action: str, row: SqlBudget, by: By) -> SqlAudit:
    subject = f"budget {row.name} version {row.version}"
    return SqlAudit(at_us=by.at_us, who=by.who, action=action, subject=subject, why=by.why)


def _conflict(session: Session, name: str, newest: int, opened: int) -> BudgetConflictError:
    if not newest:
        return BudgetConflictError(f"there is no budget {name!r} to save version {opened + 1} of")
    step = _row(session, name, newest).steps[0]
    return BudgetConflictError(
        f"{step.who} saved version {newest} of {name!r} while you worked from version {opened or 'none'}; "
        "nothing of theirs or yours is lost: compare, then save again on top of it"
    )
