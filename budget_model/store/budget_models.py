"""Tables of what people wrote: budgets, their versions, every step of them, and the audit log."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import JSON, BigInteger, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from budget_model.domain.budget import Budget, BudgetContent, BudgetState, Step
from budget_model.store.models import Base


class SqlBudget(Base):
    """One version of a budget. Its content is never changed; a new version is a new row."""

    __tablename__ = "budget_versions"
    __table_args__ = (UniqueConstraint("name", "version", name="uq_budget_version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    version: Mapped[int]
    content: Mapped[dict[str, Any]] = mapped_column(JSON)
    steps: Mapped[list[SqlStep]] = relationship(order_by="SqlStep.position", back_populates="budget")

    def to_domain(self) -> Budget:
        """The version as the mathematics and the exports know it: the only bridge between the two."""
        content = msgspec.convert(self.content, BudgetContent)
        return Budget(self.name, self.version, content, tuple(step.to_domain() for step in self.steps))


class SqlStep(Base):
    """One change of state of one version. The position is unique, so two people cannot both be next."""

    __tablename__ = "budget_steps"
    __table_args__ = (UniqueConstraint("budget_id", "position", name="uq_budget_step"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    budget_id: Mapped[int] = mapped_column(ForeignKey("budget_versions.id"))
    position: Mapped[int]
    state: Mapped[str] = mapped_column(String(20))
    who: Mapped[str] = mapped_column(String(200))
    at_us: Mapped[int] = mapped_column(BigInteger)
    why: Mapped[str] = mapped_column(Text)
    budget: Mapped[SqlBudget] = relationship(back_populates="steps")

    def to_domain(self) -> Step:
        """The step without its row."""
        return Step(BudgetState(self.state), self.who, self.at_us, self.why)


class SqlAudit(Base):
    """One line of the audit log: who did what to which thing. Lines are only ever added."""

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(primary_key=True)
    at_us: Mapped[int] = mapped_column(BigInteger)
    who: Mapped[str] = mapped_column(String(200))
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(260))
    why: Mapped[str] = mapped_column(Text)
