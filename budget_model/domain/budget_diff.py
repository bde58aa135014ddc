"""What changed between two versions of a budget."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.domain.budget import BudgetContent
from budget_model.domain.quantiles import percentile_name


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs; a value is None where the version has no such line."""

    field: str
    before: str | None
    after: str | None


def differences(before: BudgetContent, after: BudgetContent) -> tuple[Change, ...]:
    """All differences in what was promised and assumed, lines by name, in a fixed order."""
    old, new = _fields(before), _fields(after)
    names = [*old, *(name for name in new if name not in old)]
    return tuple(
        Change(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)
    )


def _fields(content: BudgetContent) -> dict[str, str]:
    assumed = content.assumptions
    return {
        "segment": "; ".join(
            f"{name} = {', '.join(map(_label, values))}" for name, values in content.segment
        ),
        "target": f"{content.target_us / 1000:g} ms",
        "percentile": percentile_name(content.q),
        "headroom": f"{content.headroom:.1%}",
        "strategy": content.strategy,
        "prefill against decode": _point(content.prefill_scale),
        **{f"line {line.name}": f"{line.us / 1000:g} ms" for line in content.lines},
        "requests behind it": str(content.evidence.n),
        "models": ", ".join(assumed.models),
        "hardware": ", ".join(assumed.hardware),
        "prompt versions": ", ".join(assumed.prompts),
        "hop mapping": assumed.rules_fingerprint,
    }


def _point(prefill_scale: float | None) -> str:
    return "one factor on both" if prefill_scale is None else f"prefill at {prefill_scale:.1%} of its time"


def _label(value: str | None) -> str:
    return "not recorded" if value is None else value
