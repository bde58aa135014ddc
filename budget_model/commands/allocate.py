"""``tailbudget allocate``: from a target to budget lines and tokens."""

from __future__ import annotations

import getpass
from typing import Annotated, Any

import typer
from rich.table import Table

from budget_model.commands import cells
from budget_model.commands.budget_options import (
    AnswerOption,
    HeadroomOption,
    LockOption,
    PrefillOption,
    StrategyOption,
    TargetOption,
    WeightOption,
    question_of,
    rule_of,
)
from budget_model.commands.common import (
    EXIT_NO,
    HomeOption,
    JsonOption,
    err,
    out,
    print_json,
    settings_to_read,
)
from budget_model.commands.filter_options import FilterOptions, with_filter_options
from budget_model.commands.percentiles import ends_of
from budget_model.commands.waterfall import PercentileOption
from budget_model.domain.quantiles import percentile_name
from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetError
from budget_model.services import clock
from budget_model.services.allocating import Proposal
from budget_model.services.budget_words import compute_words, infeasible_words
from budget_model.services.budgets import By
from budget_model.services.workspace import Workspace

SaveOption = Annotated[str | None, typer.Option("--save", metavar="NAME", help="Save the lines as a draft.")]


@with_filter_options
def allocate(
    target: TargetOption,
    percentile: PercentileOption = 99.0,
    headroom: HeadroomOption = "10%",
    strategy: StrategyOption = Strategy.EULER,
    lock: LockOption = None,
    decode_need: AnswerOption = None,
    weight: WeightOption = None,
    prefill_scale: PrefillOption = None,
    save: SaveOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    *,
    options: FilterOptions,
) -> None:
    """Divide an end-to-end target over hops by the requests that were measured."""
    asked = question_of(target, percentile, headroom, lock)
    rule = rule_of(strategy, decode_need, weight, prefill_scale)
    workspace = Workspace(settings_to_read(home))
    try:
        chosen = options.to_filter(workspace.figures)
        found = workspace.allocator.propose(chosen, asked, rule)
        if save is not None and found.feasible:
            by = By(getpass.getuser(), clock.now_us(), "saved by tailbudget allocate")
            opened = _newest(workspace, save)
            saved = workspace.budgets.save(save, chosen, found, strategy, by, opened)
            err.print(f"saved as version {saved.version} of {save}", markup=False)
        elif save is not None:
            err.print(
                f"nothing was saved as {save}: there are no lines to keep", markup=False, soft_wrap=True
            )
    finally:
        workspace.close()
    if as_json:
        print_json(proposal_json(found))
    else:
        _show(found)
    if found.refusals:
        raise BudgetError(" ".join(found.refusals))
    if not found.feasible:
        raise typer.Exit(EXIT_NO)


def proposal_json(found: Proposal) -> dict[str, Any]:
    """The answer as the command's JSON gives it; milliseconds."""
    asked, answer = found.question, found.allocation
    infeasible = answer.infeasible if answer else None
    compute = answer.compute if answer else None
    return {
        "target_ms": asked.target_us / 1000,
        "percentile": asked.q * 100,
        "headroom": asked.headroom,
        "recommended_headroom": answer.recommended_headroom if answer else None,
        "effective_target_ms": asked.effective_us / 1000,
        "n": found.n,
        "failed": found.failed,
        "feasible": found.feasible,
        "shortfall_ms": infeasible.shortfall_us / 1000 if infeasible else None,
        "nearest_target_ms": infeasible.nearest_target_us / 1000 if infeasible else None,
        "nearest_headroom": infeasible.nearest_headroom if infeasible else None,
        "cut_first": [{"hop": hop, "ms": us / 1000} for hop, us in infeasible.cut_first]
        if infeasible
        else [],
        "observed": {
            "e2e_ms": found.estimate.value_ms,
            "ci95_ms": ends_of(found.estimate.interval),
            "with_failures_ms": answer.observed_us / 1000 if answer else None,
            "bars": [
                {"hop": bar.hop, "ms": bar.ms, "printed_ms": bar.printed_ms} for bar in found.observed.bars
            ],
        },
        "compute": {
            "naive_ms": compute.naive_us / 1000 if compute else None,
            "deterministic_ms": compute.deterministic_us / 1000 if compute else None,
            "joint_ms": _ms(compute.joint_us) if compute else None,
            "scale": compute.scale if compute else None,
        },
        "point": answer.point if answer else None,
        "lines": [
            {"name": line.name, "ms": line.us / 1000, "printed_ms": line.printed_ms, "kind": line.kind}
            for line in (answer.lines if answer else ())
        ],
        "guard_limits": {hop: us / 1000 for hop, us in (answer.guard_limits_us if answer else {}).items()},
        "tokens": [
            {
                "bucket": row.bucket,
                "max_prompt_tokens": row.max_prompt_tokens,
                "max_output_tokens": row.max_output_tokens,
                "prompt_n": row.prompt_n,
                "output_n": row.output_n,
                "tpot_ms": row.tpot_ms,
            }
            for row in found.tokens
        ],
        "warnings": [*found.refusals, *found.warnings],
    }


def _ms(us: float | None) -> float | None:
    return None if us is None else us / 1000


def _newest(workspace: Workspace, name: str) -> int:
    if name not in workspace.budgets.names():
        return 0
    return workspace.budgets.versions(name, clock.now_us())[0].budget.version


def _show(found: Proposal) -> None:
    answer = found.allocation
    if answer is not None and found.feasible:
        bars = {bar.hop: bar.ms for bar in found.observed.bars}
        name = percentile_name(found.question.q)
        table = Table(title=f"{found.question.target_us / 1000:g} ms at {name}, in ms")
        for title in ("line", "budget", "observed", "own limit, does not add"):
            table.add_column(title, justify="left" if title == "line" else "right")
        limits = {str(hop): us / 1000 for hop, us in answer.guard_limits_us.items()}
        for line in answer.lines:
            observed = "" if line.kind == "headroom" else cells.milliseconds(bars.get(line.name))
            limit = cells.milliseconds(limits[line.name]) if line.name in limits else ""
            table.add_row(line.name, f"{line.printed_ms:,}", observed, limit)
        out.print(table)
        out.print(compute_words(answer), markup=False)
    elif answer is not None and answer.infeasible is not None:
        out.print(infeasible_words(answer), markup=False)
    for warning in found.warnings:
        err.print(f"note: {warning}", markup=False)
