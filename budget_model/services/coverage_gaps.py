"""What a service's telemetry leaves out, what follows from it, and the lines that would add it."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.services.instrument_lines import LINES, Lines

CALLS, REQUESTS, SPANS = "model call", "ok request", "span"
"""What is counted."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One thing that can be missing. ``follows`` is completed by a count; ``lines`` names ``LINES``."""

    missing: str
    follows: str
    lines: str
    unit: str = REQUESTS


KINDS: dict[str, Kind] = {
    "first_token": Kind(
        "first-token event", "prefill and decode cannot be told apart for", "first token", CALLS
    ),
    "model_call": Kind("span of a model call", "no time is known to be the model's in", "first token"),
    "service_name": Kind("name", "nothing says which service sent", "service name", SPANS),
    "queue": Kind("queue time", "waiting for a slot counts as prefill in", "queue"),
    "model": Kind("model", "figures cannot be split by model for", "model"),
    "prompt_tokens": Kind("prompt tokens", "long and short prompts are not told apart in", "tokens"),
    "output_tokens": Kind("output tokens", "there is no time per output token for", "tokens"),
    "prompt_version": Kind("prompt version", "a change of the prompt cannot be seen in", "prompt"),
    "workload": Kind("workload", "the service's name, if any, stands for it in", "workload"),
    "tenant": Kind("tenant", "figures cannot be split by tenant for", "tenant"),
    "region": Kind("region", "figures cannot be split by region for", "region"),
    "client": Kind(
        "client span", "what the reader waits for outside this service is not in the time of", "client"
    ),
    "network": Kind("network span", "transit is not told from what is around it in", "network"),
    "gateway": Kind("gateway span", "authentication and routing count to no hop of their own in", "gateway"),
    "retrieval": Kind(
        "retrieval span", "a search, if there is one, counts to no hop of its own in", "retrieval"
    ),
    "postprocess": Kind(
        "postprocess span",
        "work on the answer, if there is any, counts to no hop of its own in",
        "postprocess",
    ),
}
"""By code, the most telling first."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing from ``n`` of ``of`` units of what one service sends; 0 < n <= of."""

    code: str
    n: int
    of: int

    @property
    def kind(self) -> Kind:
        """What is missing, in words."""
        return KINDS[self.code]

    @property
    def lines(self) -> Lines:
        """The code that adds it."""
        return LINES[self.kind.lines]

    @property
    def counted(self) -> str:
        """How often it is missing: ``26 of 40 model calls``."""
        unit = self.kind.unit + ("" if self.of == 1 else "s")
        return f"{self.n:,} of {self.of:,} {unit}"

    @property
    def sentence(self) -> str:
        """What is missing and what follows, without a full stop."""
        return f"no {self.kind.missing}: {self.kind.follows} {self.counted}"


def gaps_of(found: dict[str, tuple[int, int]]) -> tuple[Gap, ...]:
    """The gaps among counts by code (missing, of), in the order of ``KINDS``."""
    counted = [(code, *found[code]) for code in KINDS if code in found]
    return tuple(Gap(code, n, of) for code, n, of in counted if n)
