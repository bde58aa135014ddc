"""Ready-made tactics with the range their source publishes: a starting point, not a forecast."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.domain.whatif.answer_tactics import OutputCap
from budget_model.domain.whatif.model_tactics import PromptCache, RouteRule, SmallerModel, SpeculativeDecoding
from budget_model.domain.whatif.path_tactics import CloserRegion, NoRetries
from budget_model.domain.whatif.retrieval_tactics import HedgedRetrieval, ParallelRetrieval
from budget_model.domain.whatif.tactic import Tactic


@dataclass(frozen=True, slots=True)
class Preset:
    """A named tactic, the range published for it and who published it."""

    name: str
    tactic: Tactic
    published: str
    source: str


PRESETS: tuple[Preset, ...] = (
    Preset(
        "Prompt caching",
        PromptCache(hit_share=0.5, speedup=8),
        "TTFT 8 times shorter on GPUs, up to 60 times on CPUs; prototype, best case.",
        "Gim et al., Prompt Cache, MLSys 2024",
    ),
    Preset(
        "Speculative decoding",
        SpeculativeDecoding(speedup=2),
        "Decode 2 to 3 times faster for one sequence; less as batches grow.",
        "Leviathan et al., ICML 2023",
    ),
    Preset(
        "Smaller model for half, at random",
        SmallerModel(0.5, RouteRule.RANDOM),
        "No published range: factors 0.3 for prefill and 0.4 for decode are assumed.",
        "Assumption",
    ),
    Preset(
        "Smaller model for the longest answers",
        SmallerModel(0.3, RouteRule.LONGEST),
        "No published range: an upper bound, since answer length is not known beforehand.",
        "Assumption",
    ),
    Preset(
        "Cap answers at today's p95",
        OutputCap(0.95),
        "Exact for the measured requests; users get less text.",
        "Measured requests",
    ),
    Preset(
        "Parallel retrieval",
        ParallelRetrieval(larger_part=0.6),
        "No published range: the larger part is assumed to take 60 %.",
        "Assumption",
    ),
    Preset(
        "Hedged retrieval after p95",
        HedgedRetrieval(0.95, draws=50),
        "About 5 % more calls; p99.9 of one service fell from 1,800 to 74 ms.",
        "Dean and Barroso, The Tail at Scale, CACM 2013",
    ),
    Preset("No retries", NoRetries(), "Exact for the measured requests.", "Measured requests"),
    Preset(
        "Closer region",
        CloserRegion(factor=0.5),
        "No published range: transit is assumed to halve.",
        "Assumption",
    ),
)


def preset_like(tactic: Tactic) -> Preset | None:
    """The preset of the same kind (and, for a smaller model, the same rule), whatever its numbers."""
    alike = (preset for preset in PRESETS if type(preset.tactic) is type(tactic))
    return next((preset for preset in alike if _rule(preset.tactic) is _rule(tactic)), None)


def _rule(tactic: Tactic) -> RouteRule | None:
    return tactic.rule if isinstance(tactic, SmallerModel) else None
