"""Which span names went to which hop, and the user's own rules: changed, undone, taken back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from budget_model.domain.hops import Hop
from budget_model.normalise.rule_file import ACCEPTED_HOPS, LLM_CALL, make_rule
from budget_model.normalise.rules import Rules, load_rules
from budget_model.normalise.vocabulary.rule import Rule
from budget_model.records.spans import Span
from budget_model.services.making import assembler_for
from budget_model.settings import Settings
from budget_model.store.compaction import live_rows
from budget_model.store.ledger import Ledger, Manifest
from budget_model.store.schema import Kind
from budget_model.store.segments import open_segment
from budget_model.store.tables import spans_of

HOP_CHOICES = ACCEPTED_HOPS
"""What a span name can be mapped to: a hop, "llm call" or "none" (as its parent)."""

UNDO_STEPS = 20
"""How many changes of the rules can be undone."""

_NS_PER_US = 1_000
_GROUP = ["name", "service", "kind"]


@dataclass(frozen=True, slots=True)
class SpanNameRow:
    """One span name of one service. Texts come from the data: treat them as untrusted.

    ``share_of_e2e`` is the busy time of these spans over the end-to-end time of all requests; nested
    and parallel spans count each, so shares do not add to 1. None without any end-to-end time.
    ``hop`` None: no rule matches and the time goes where the parent's goes. ``rule`` says which rule
    decided; ``example`` is the trace id of one such span.
    """

    name: str
    service: str
    kind: str
    count: int
    share_of_e2e: float | None
    hop: str | None
    rule: str
    example: str


def span_names(settings: Settings) -> list[SpanNameRow]:
    """Every span name with where its time goes: unmapped ones first, then by share, largest first."""
    rules = assembler_for(settings).rules()
    ledger = Ledger(settings)
    try:
        manifest = ledger.manifest()
        total_us = _total_e2e_us(manifest)
        found = _grouped(manifest.paths(Kind.SPANS))
    finally:
        ledger.close()
    rows = [_row(span, count, busy_ns, total_us, rules) for span, count, busy_ns in found]
    return sorted(rows, key=_unmapped_first)


def _unmapped_first(row: SpanNameRow) -> tuple[bool, float, str, str]:
    return (row.hop is not None, -(row.share_of_e2e or 0.0), row.name, row.service)


def facts_are_stale(settings: Settings) -> bool:
    """Whether the rules changed since the facts were made, so that a rebuild would change them."""
    ledger = Ledger(settings)
    try:
        made_with = ledger.rules_fingerprint()
    finally:
        ledger.close()
    return made_with is not None and made_with != assembler_for(settings).fingerprint


def set_rule(settings: Settings, name: str, hop: str | None, service: str = "") -> None:
    """Map a span name (of one service, or of all) to a hop; None takes the user's rule back.

    The rule goes before all others. Facts follow with the next rebuild. Raises MappingError when
    ``hop`` is not one of ``HOP_CHOICES``.
    """
    rules = assembler_for(settings).rules()
    for index in reversed(range(len(rules.own))):
        if _is_about(rules.own[index], name, service):
            rules = rules.without_user_rule(index)
    if hop is not None:
        entry = {"name": name, "hop": hop} | ({"service": service} if service else {})
        rules = rules.with_user_rule(make_rule(entry, f"the rule for {name!r}"))
    write_rules(settings, rules.to_toml())


def _is_about(rule: Rule, name: str, service: str) -> bool:
    return (rule.name, rule.service) == (name, service) and not rule.kind and not rule.attributes


def undo_last(settings: Settings) -> bool:
    """Bring back the rules as they were before the last change; False when there is none."""
    kept = _kept(settings)
    if not kept:
        return False
    kept[-1].replace(settings.rules_file)
    return True


def reset_rules(settings: Settings) -> None:
    """Drop all of the user's rules; this too can be undone."""
    write_rules(settings, "")


def write_rules(settings: Settings, toml_text: str) -> None:
    """Replace the user's rules, whole or not at all, keeping the former ones for ``undo_last``.

    Raises MappingError when the text cannot be used; nothing is changed then.
    """
    load_rules(toml_text)
    path = settings.rules_file
    path.parent.mkdir(parents=True, exist_ok=True)
    former = path.read_text("utf-8") if path.exists() else ""
    kept = _kept(settings)
    number = int(kept[-1].suffix[1:]) + 1 if kept else 1
    _write(path.with_name(f"{path.name}.{number:06d}"), former)
    _write(path, toml_text)
    for old in kept[: max(0, len(kept) + 1 - UNDO_STEPS)]:
        old.unlink(missing_ok=True)


def _kept(settings: Settings) -> list[Path]:
    path = settings.rules_file
    return sorted(one for one in path.parent.glob(f"{path.name}.*") if one.suffix[1:].isdecimal())


def _write(path: Path, content: str) -> None:
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _total_e2e_us(manifest: Manifest) -> int:
    tables = live_rows(
        manifest.of(Kind.REQUESTS), manifest.of(Kind.SUPERSEDED), ["trace_key", "e2e_us", "source_kind"]
    )
    return sum(pc.sum(one.filter(_is_from_spans(one)).column("e2e_us")).as_py() or 0 for one in tables)


def _is_from_spans(requests: pa.Table) -> pa.ChunkedArray:
    return pc.equal(requests.column("source_kind").cast(pa.string()), "spans")


def _grouped(paths: list[Path]) -> Iterator[tuple[Span, int, int]]:
    """Per name, service and kind: one such span, how many, and their busy time in ns."""
    found: dict[tuple[str, str, str], tuple[Span, int, int]] = {}
    for path in paths:
        with open_segment(path) as file:
            for group in range(file.num_row_groups):
                for span, count, busy_ns in _group(file, group):
                    key = (span.name, span.service, span.kind)
                    one, more, before_ns = found.get(key, (span, 0, 0))
                    found[key] = (one, more + count, before_ns + busy_ns)
    yield from found.values()


def _group(file: pq.ParquetFile, number: int) -> Iterator[tuple[Span, int, int]]:
    whole = file.read_row_group(number)
    table = whole.filter(pc.equal(whole.column("record").cast(pa.string()), "span"))
    plain = pa.table({name: table.column(name).cast(pa.string()) for name in _GROUP})
    spent = pc.fill_null(pc.subtract(table.column("end_ns"), table.column("start_ns")), 0)
    plain = plain.append_column("spent", pc.max_element_wise(spent, 0))
    plain = plain.append_column("row", pa.array(range(table.num_rows), pa.int64()))
    counted = plain.group_by(_GROUP).aggregate([("row", "min"), ("row", "count"), ("spent", "sum")])
    rows = counted.column("row_min")
    examples = spans_of(table.take(rows.combine_chunks()))
    columns = (counted.column(name).to_pylist() for name in ("row_count", "spent_sum"))
    yield from zip(examples, *columns, strict=True)


def _row(span: Span, count: int, busy_ns: int, total_us: int, rules: Rules) -> SpanNameRow:
    decision = rules.decide(span)
    hop: Hop | None = rules.hop_of(span)
    text = LLM_CALL if decision.llm_call else None if hop is None else hop.value
    share = busy_ns / (total_us * _NS_PER_US) if total_us else None
    return SpanNameRow(span.name, span.service, span.kind, count, share, text, decision.rule, span.trace_id)
