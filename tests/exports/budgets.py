"""A budget to export, with a name and labels that no format should trust."""

from __future__ import annotations

from budget_model.domain.allocation import allocate
from budget_model.domain.budget import Assumptions, Budget, BudgetContent, BudgetState, Evidence, Step
from budget_model.domain.budget_question import Question
from tests.domain.lattices import lattice

HOSTILE = "Chät \"budget\"\n=cmd|'/c' {{.x}} <b>`"


def budget(name: str = "chat 5s", q: float = 0.99, *, tenants: tuple[str | None, ...] = ("acme",)) -> Budget:
    """Version 3 of a 5 s budget for one workload and the given tenants, approved."""
    question = Question(5_000_000, q, 0.1)
    answer = allocate(lattice("load"), question)
    content = BudgetContent(
        segment=(("workload", ("chat",)), ("tenant", tenants)),
        target_us=question.target_us,
        q=q,
        headroom=question.headroom,
        strategy="euler",
        lines=answer.lines,
        guard_limits_us={str(hop): limit for hop, limit in answer.guard_limits_us.items()},
        tokens=(),
        evidence=Evidence(10_007, 0, None, None, 5_639_142, 1_796_083_200_000_000),
        assumptions=Assumptions((), (), (), "abc"),
    )
    return Budget(name, 3, content, (Step(BudgetState.APPROVED, "bob", 1_796_083_200_000_000, ""),))
