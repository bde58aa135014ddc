"""Short ways to ask a fact for one hop, in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence

from budget_model.domain.hops import HOPS
from budget_model.normalise.assemble import assemble, dedupe, load_rules
from budget_model.records.facts import Flag, RequestFact
from budget_model.records.spans import Span

RULES = load_rules(None)


def only_fact(spans: Sequence[Span], *, toml: str = "", correct_skew: bool = False) -> RequestFact:
    """The one request of one trace given with repeats."""
    rules = load_rules(toml) if toml else RULES
    (fact,) = assemble(dedupe(spans).kept, rules, correct_skew=correct_skew).facts
    return fact


def path_ms(fact: RequestFact) -> dict[str, float]:
    """Hop to path time, hops without a record left out, and an empty unattributed too."""
    return _by_hop(fact.path_us, drop_zero_rest=True)


def wall_ms(fact: RequestFact) -> dict[str, float]:
    """Hop to wall time, hops without a record left out."""
    return _by_hop(fact.wall_us, drop_zero_rest=False)


def flags(fact: RequestFact) -> Flag:
    return Flag(fact.flags)


def _by_hop(times: list[int | None], *, drop_zero_rest: bool) -> dict[str, float]:
    found = {hop.value: us / 1000 for hop, us in zip(HOPS, times, strict=True) if us is not None}
    if drop_zero_rest and found.get("unattributed") == 0:
        del found["unattributed"]
    return found
