"""From one trace's records to its request facts: the step that import, second pass and rebuild share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from budget_model.errors import StoreError
from budget_model.normalise.assemble import assemble, dedupe
from budget_model.normalise.bulk.assembling import BulkAssembler
from budget_model.normalise.rules import Rules, load_rules
from budget_model.records.facts import Flag, RequestFact, TokenGap
from budget_model.records.spans import Span
from budget_model.settings import Settings
from budget_model.store.keys import Keys


@dataclass(slots=True)
class Made:
    """Facts and gaps made so far."""

    facts: list[RequestFact] = field(default_factory=list)
    gaps: list[TokenGap] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Assembler:
    """How facts are made: the user's hop rules as text and whether skew is corrected. Picklable."""

    rules_text: str | None
    correct_skew: bool

    def rules(self) -> Rules:
        """The rules, parsed. Raises MappingError."""
        return load_rules(self.rules_text)

    def maker(self) -> Maker:
        """What makes the facts. Raises MappingError."""
        return Maker(self.rules(), self.correct_skew)

    @property
    def fingerprint(self) -> str:
        """Facts made under another fingerprint may differ. Raises MappingError."""
        return self.rules().fingerprint + ("+skew" if self.correct_skew else "")


def assembler_for(settings: Settings) -> Assembler:
    """What the settings and the user's rule file say, checked. Raises MappingError or StoreError."""
    try:
        text = settings.rules_file.read_text("utf-8") if settings.rules_file.exists() else None
    except (OSError, UnicodeDecodeError) as problem:
        raise StoreError(f"{settings.rules_file} cannot be read: {problem}") from problem
    assembler = Assembler(text, settings.correct_skew)
    assembler.rules()
    return assembler


def may_repeat(spans: Sequence[Span]) -> bool:
    """Whether a span id occurs twice, so that a closer look is needed."""
    return len({span.span_id for span in spans}) < len(spans)


class Maker:
    """Makes facts under one set of rules; one for each task, as it keeps what it learns of traces."""

    def __init__(self, rules: Rules, correct_skew: bool) -> None:
        self._rules = rules
        self._skew = correct_skew
        self._bulk = BulkAssembler(rules)

    def usual(self, traces: Sequence[Sequence[Span]]) -> list[RequestFact | None]:
        """The one fact of each trace that is of a usual shape and repeats no span id, made together.

        None for all others, and for all when clocks are to be corrected: ``make`` those.
        """
        return [None] * len(traces) if self._skew else self._bulk.facts(traces)

    def make_all(self, traces: Sequence[Sequence[Span]], made: Made) -> None:
        """Add the facts and gaps of all traces to ``made``, in their order."""
        for trace, fact in zip(traces, self.usual(traces), strict=True):
            if fact is None:
                self.make(trace, made)
            else:
                made.facts.append(fact)

    def make(self, spans: Sequence[Span], made: Made) -> int:
        """Add one trace's facts and gaps to ``made``; the answer is how many of its records were kept."""
        deduped = dedupe(spans) if may_repeat(spans) else None
        kept = spans if deduped is None else deduped.kept
        assembled = assemble(kept, self._rules, correct_skew=self._skew)
        if deduped is not None and deduped.conflicts:
            for fact in assembled.facts:
                fact.flags |= Flag.CONFLICTING_SPANS
        made.facts += assembled.facts
        made.gaps += assembled.gaps
        return len(kept)


def distinct_places(digests: Keys) -> list[int]:
    """The first place of each content, ascending."""
    return sorted(np.unique(digests, return_index=True)[1].tolist())


def conflict_example(versions: Sequence[Span]) -> str:
    """Words for a span with several versions; ``versions`` are different contents of one trace."""
    seen = Counter(span.span_id for span in versions)
    span_id = min((one for one, count in seen.items() if count > 1), default=versions[0].span_id)
    return f"span {span_id} of trace {versions[0].trace_id} has {seen[span_id]} versions; only one counts"
