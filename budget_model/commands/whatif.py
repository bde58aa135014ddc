"""``tailbudget whatif``: what a change to how requests are served would do to the tail."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from rich.table import Table

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, out, print_json, settings_to_read
from budget_model.commands.filter_options import FilterOptions, with_filter_options
from budget_model.commands.tactic_options import with_tactic_options
from budget_model.commands.waterfall import PercentileOption
from budget_model.domain.quantiles import percentile_name
from budget_model.domain.whatif.presets import Preset, preset_like
from budget_model.domain.whatif.tactic import Tactic
from budget_model.errors import BudgetError
from budget_model.services.whatif import Effect
from budget_model.services.workspace import Workspace

RankOption = Annotated[
    bool, typer.Option("--rank", help="Try every preset on its own; the one that buys the most comes first.")
]
_KINDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@with_tactic_options
@with_filter_options
def whatif(
    percentile: PercentileOption = 99.0,
    rank: RankOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
    *,
    options: FilterOptions,
    tactics: list[Tactic],
) -> None:
    """Try changes on the measured requests; tactics apply in the order they are given."""
    if rank == bool(tactics):
        raise BudgetError("give tactics to try together, or --rank to try every preset on its own")
    if not 0 < percentile < 100:
        raise BudgetError(f"percentile {percentile:g} does not exist; give one above 0 and below 100")
    workspace = Workspace(settings_to_read(home))
    try:
        chosen = options.to_filter(workspace.figures)
        if rank:
            _tell_ranked(workspace.what_if.ranked(chosen, percentile / 100), percentile, as_json=as_json)
        else:
            _tell(
                workspace.what_if.effect(chosen, percentile / 100, tactics),
                percentile,
                as_json=as_json,
            )
    finally:
        workspace.close()


def effect_json(found: Effect, percentile: float) -> dict[str, Any]:
    """The effect of a stack as JSON; milliseconds, a shorter tail is a negative change."""
    return {
        "percentile": percentile,
        "n": found.n,
        "before_ms": found.before_ms,
        "after_ms": found.after_ms,
        "change_ms": found.change_ms,
        "interval_ms": found.interval_ms,
        "if_hedges_share_the_cause_ms": found.dependent_ms,
        "bars": [
            {"hop": hop, "before_ms": before, "after_ms": found.bars_after_ms[hop]}
            for hop, before in found.bars_before_ms.items()
        ],
        "tactics": [_tactic_json(tactic) for tactic in found.tactics],
    }


def _tactic_json(tactic: Tactic) -> dict[str, Any]:
    preset = preset_like(tactic)
    return {
        "tactic": _KINDS.sub("-", type(tactic).__name__).lower(),
        "parameters": tactic,
        "assumption": tactic.assumption,
        "published": preset.published if preset else None,
        "source": preset.source if preset else None,
    }


def _tell(found: Effect, percentile: float, *, as_json: bool) -> None:
    if as_json:
        print_json(effect_json(found, percentile))
        return
    table = Table(
        title=f"e2e {percentile_name(percentile / 100)} of {found.n:,} requests, in ms", show_footer=True
    )
    table.add_column("hop", "e2e")
    for title, total in (("before", found.before_ms), ("after", found.after_ms)):
        table.add_column(title, cells.milliseconds(total), justify="right")
    table.add_column("change", f"{found.change_ms:+,.0f}", justify="right")
    for hop, before in found.bars_before_ms.items():
        after = found.bars_after_ms[hop]
        if before or after:
            change = f"{after - before:+,.0f}"
            table.add_row(hop, cells.milliseconds(before), cells.milliseconds(after), change)
    out.print(table)
    _say(_interval_words(found))
    for tactic in found.tactics:
        _say(_assumed(tactic))
    if found.dependent_ms is not None:
        _say(
            f"If the cause of slowness is shared by both calls, hedging gains nothing: "
            f"{percentile_name(percentile / 100)} would be {found.dependent_ms:,.0f} ms."
        )


def _tell_ranked(found: list[tuple[Preset, Effect]], percentile: float, *, as_json: bool) -> None:
    if as_json:
        print_json({"ranked": [{"name": p.name, **effect_json(e, percentile)} for p, e in found]})
        return
    first = found[0][1]
    table = Table(
        title=f"e2e {percentile_name(percentile / 100)} of {first.n:,} requests is {first.before_ms:,.0f} ms"
    )
    for title in ("on its own", "ms after", "change", "95 % interval", "published"):
        table.add_column(title, justify="left" if title in ("on its own", "published") else "right")
    for preset, effect in found:
        table.add_row(
            preset.name,
            f"{effect.after_ms:,.0f}",
            f"{effect.change_ms:+,.0f}",
            _ends(effect),
            f"{preset.published} ({preset.source})",
        )
    out.print(table)
    if first.interval_ms is None:
        _say(_interval_words(first))
    for preset, _ in found:
        _say(f"{preset.name}: {preset.tactic.assumption}")


def _interval_words(found: Effect) -> str:
    if found.interval_ms is None:
        return (
            f"There is no interval: at this percentile a change has one from {found.least_n:,} requests on."
        )
    return f"Change {found.change_ms:+,.0f} ms, 95 % interval {_ends(found)} ms, paired by request."


def _ends(found: Effect) -> str:
    return "" if found.interval_ms is None else "{:+,.0f} .. {:+,.0f}".format(*found.interval_ms)


def _assumed(tactic: Tactic) -> str:
    preset = preset_like(tactic)
    published = f" Published: {preset.published} ({preset.source})" if preset else ""
    return f"Assumed: {tactic.assumption}{published}"


def _say(words: str) -> None:
    out.print(words, markup=False, soft_wrap=True)
