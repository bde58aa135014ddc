"""Reading what-if tactics off the command line, in the order they are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from budget_model.commands.added_options import add_options
from budget_model.domain.whatif.answer_tactics import OutputCap, ShorterOutputs
from budget_model.domain.whatif.model_tactics import PromptCache, RouteRule, SmallerModel, SpeculativeDecoding
from budget_model.domain.whatif.path_tactics import CloserRegion, NoRetries
from budget_model.domain.whatif.retrieval_tactics import HedgedRetrieval, ParallelRetrieval
from budget_model.domain.whatif.tactic import Tactic
from budget_model.errors import BudgetError

_GIVEN, _CONTEXT, _NO_RETRIES = "tactics", "context", "no_retries"


def with_tactic_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the tactic options to a Typer command, which receives a list of tactics as ``tactics``."""
    annotations = {_CONTEXT: typer.Context, **OPTIONS}
    defaults = {_CONTEXT: inspect.Parameter.empty, _NO_RETRIES: False}
    return add_options(command, "tactics", annotations, _in_order, defaults)


def _in_order(given: dict[str, Any]) -> list[Tactic]:
    return list(given[_CONTEXT].meta.get(_GIVEN, ()))


def _tactic(option: str, metavar: str, words: str, read: Callable[[str], Tactic]) -> Any:
    def remember(context: typer.Context, value: str | None) -> str | None:
        # Click calls back in the order of the command line, which is the order tactics stack in.
        if value is not None:
            context.meta.setdefault(_GIVEN, []).append(_read(option, metavar, value, read))
        return value

    return Annotated[str | None, typer.Option(option, metavar=metavar, help=words, callback=remember)]


def _read(option: str, metavar: str, value: str, read: Callable[[str], Tactic]) -> Tactic:
    try:
        return read(value)
    except ValueError:
        raise BudgetError(f"{option} {value!r} cannot be read; write {metavar}") from None
    except BudgetError as refusal:
        raise BudgetError(f"{option} {value!r}: {refusal}") from None


def _cache(text: str) -> Tactic:
    share, speedup = text.split(":")
    return PromptCache(float(share), float(speedup))


def _route(text: str) -> Tactic:
    share, rule, *factors = text.split(":")
    if len(factors) not in (0, 2):
        raise ValueError(text)
    return SmallerModel(float(share), RouteRule(rule), *map(float, factors))


def _quantile(text: str) -> float:
    if not text.startswith("p"):
        raise ValueError(text)
    percent = float(text[1:])
    if not 0 <= percent <= 100:
        raise BudgetError("p0 to p100 are accepted")
    return percent / 100


def _no_retries(context: typer.Context, *, value: bool) -> bool:
    if value:
        context.meta.setdefault(_GIVEN, []).append(NoRetries())
    return value


OPTIONS: dict[str, Any] = {
    "cache": _tactic(
        "--cache",
        "SHARE:SPEEDUP",
        "A share of prompts is found cached and prefilled so many times faster, such as 0.5:8.",
        _cache,
    ),
    "speculate": _tactic(
        "--speculate",
        "SPEEDUP",
        "Speculative decoding: decode runs so many times faster, such as 2.",
        lambda text: SpeculativeDecoding(float(text)),
    ),
    "route": _tactic(
        "--route",
        "SHARE:random|shortest|longest[:PREFILL:DECODE]",
        "A share of requests goes to a smaller model, by chance or by answer length. PREFILL and DECODE "
        "are its times relative to today's (0.3 and 0.4).",
        _route,
    ),
    "cap_output": _tactic(
        "--cap-output",
        "pNN",
        "No answer decodes longer than this percentile of today's, such as p95.",
        lambda text: OutputCap(_quantile(text)),
    ),
    "shorter_outputs": _tactic(
        "--shorter-outputs",
        "FACTOR",
        "Every answer has so much of today's tokens, such as 0.8.",
        lambda text: ShorterOutputs(float(text)),
    ),
    "parallel_retrieval": _tactic(
        "--parallel-retrieval",
        "SHARE",
        "Retrieval in two parts side by side; the larger takes this share of the time, such as 0.6.",
        lambda text: ParallelRetrieval(float(text)),
    ),
    "hedge_retrieval": _tactic(
        "--hedge-retrieval",
        "pNN",
        "A second retrieval starts when the first has lasted this percentile of its own time, such as p95.",
        lambda text: HedgedRetrieval(_quantile(text)),
    ),
    "network": _tactic(
        "--network",
        "FACTOR",
        "A closer region: network time is so much of today's, such as 0.5.",
        lambda text: CloserRegion(float(text)),
    ),
    _NO_RETRIES: Annotated[
        bool, typer.Option("--no-retries", help="No failed attempts and no back-off.", callback=_no_retries)
    ],
}
"""Option names and what Typer is to make of them."""
