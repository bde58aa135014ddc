"""Who calls the simulated service, what it runs on, and the stories that happen in its two weeks.

Numbers are assumptions chosen to look like a small production service, not measurements.
"""

from __future__ import annotations

from dataclasses import dataclass

DAYS = 14
REQUESTS = 40_000
SEED = 20


@dataclass(frozen=True, slots=True)
class Region:
    """Where callers are; ``site`` is where their requests are served."""

    name: str
    site: str
    one_way_ms: float
    utc_offset_h: int


@dataclass(frozen=True, slots=True)
class Model:
    """One engine build: a step takes ``step_ms + seq_ms * sequences + prefill_token_ms * prompt tokens``."""

    name: str
    hardware: str
    step_ms: float
    seq_ms: float
    prefill_token_ms: float
    token_budget: int  # prompt and output tokens one step may hold
    slots: int  # sequences one replica runs at once


@dataclass(frozen=True, slots=True)
class Workload:
    """A class of request: log-normal token counts, and how often the larger model serves it."""

    name: str
    prompt_name: str
    prompt_version: str
    prompt_median: float
    prompt_sigma: float
    output_median: float
    output_sigma: float
    large_share: float


@dataclass(frozen=True, slots=True)
class Tenant:
    """A customer; shares follow the order of REGIONS and WORKLOADS."""

    name: str
    share: float
    regions: tuple[float, float, float]
    workloads: tuple[float, float, float, float]


SITES = ("eu-west-1", "us-east-1")
REGIONS = (
    Region("eu-west-1", "eu-west-1", 9.0, 1),
    Region("us-east-1", "us-east-1", 12.0, -5),
    Region("ap-southeast-2", "us-east-1", 108.0, 10),
)
FAR_REGION = "ap-southeast-2"

MODELS = (
    Model("llama-3.1-8b-instruct", "L40S", 9.5, 0.35, 0.055, 4096, 8),
    Model("llama-3.3-70b-instruct", "H100", 15.0, 0.7, 0.15, 2048, 6),
)
REPLICAS_PER_POOL = 2

CHAT, RAG, CODE, SUMMARIZE = range(4)
WORKLOADS = (
    Workload("chat", "chat-assistant", "3", 420, 0.8, 125, 0.45, 0.35),
    Workload("rag", "rag-answer", "7", 2600, 0.45, 140, 0.45, 0.7),
    Workload("code", "code-edit", "2", 1400, 0.9, 110, 0.6, 0.3),
    Workload("summarize", "summarize-document", "5", 3600, 0.6, 170, 0.35, 0.8),
)
TENANTS = (
    Tenant("acme-bank", 0.17, (0.6, 0.3, 0.1), (0.5, 0.4, 0.0, 0.1)),
    Tenant("blue-retail", 0.17, (0.4, 0.45, 0.15), (0.7, 0.3, 0.0, 0.0)),
    Tenant("cedar-health", 0.13, (0.45, 0.55, 0.0), (0.3, 0.5, 0.0, 0.2)),
    Tenant("delta-travel", 0.12, (0.35, 0.3, 0.35), (0.8, 0.2, 0.0, 0.0)),
    Tenant("ember-media", 0.11, (0.5, 0.4, 0.1), (0.4, 0.1, 0.0, 0.5)),
    Tenant("fjord-legal", 0.12, (1.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.9)),
    Tenant("gable-games", 0.11, (0.2, 0.5, 0.3), (0.3, 0.0, 0.7, 0.0)),
    Tenant("harbor-labs", 0.07, (0.4, 0.5, 0.1), (0.2, 0.2, 0.6, 0.0)),
)

HOURS = (13.5, 3.6)  # local middle and spread of a working day
NIGHT = 0.12  # traffic at night, the peak being 1
WEEKEND = 0.45  # traffic at weekends, a weekday being 1
BURST_SHARE = 0.45
BURST_MEAN = 14.0  # requests in one burst
BURST_SPREAD_S = 14.0

LONG_TENANT = "fjord-legal"
LONG_PROMPT_MEDIAN, LONG_PROMPT_SIGMA = 36_000.0, 0.35
LONG_HOURS = (13.0, 1.6)  # local middle and spread of its working day; it works on weekdays
LONG_BURST_SPREAD_S = 200.0  # its documents come one after another, not at once
MOST_PROMPT_TOKENS = 90_000

NEW_VERSION = "4"  # of the chat prompt
NEW_VERSION_DAY = 9  # counted from 1: the version goes out when this day begins
NEW_VERSION_SHARE = 0.85
NEW_VERSION_OUTPUT_FACTOR = 1.5

SLOW_RETRIEVAL_DAY = 12  # or the last weekday before it
SLOW_RETRIEVAL_HOURS = (11.0, 18.0)  # UTC
SLOW_RETRIEVAL_FACTOR = 9.0

ROLLOUT_DAYS = (2, 5, 9, 12)  # replicas restart one after the other
ROLLOUT_HOUR = 9.5  # UTC
ROLLOUT_GAP_S = 240.0
IDLE_UNLOAD_S = 9_000.0
LOAD_S = (5.0, 9.0)
WARM_UP_S = (0.6, 1.4)  # added to the first step after a load

FAILED_SHARE = 0.01
RETRIED_SHARE = 0.025  # succeed after one or two failed attempts
CANCELLED_SHARE = 0.004
MOST_ATTEMPTS = 3
AUDITED_SHARE = 0.1


def weekday(epoch_s: float) -> int:
    """Day of the week, Monday 0 to Sunday 6; the epoch began on a Thursday."""
    return int(epoch_s // 86_400.0 + 3) % 7


def slow_retrieval_s(window_start_s: float) -> tuple[float, float]:
    """Begin and end of the slow afternoon in seconds since the window began; it falls on a weekday."""
    midnight = day_start_s(window_start_s, SLOW_RETRIEVAL_DAY)
    midnight -= max(0, weekday(window_start_s + midnight) - 4) * 86_400.0
    first, last = SLOW_RETRIEVAL_HOURS
    return midnight + first * 3600.0, midnight + last * 3600.0


def day_start_s(window_start_s: float, day: int) -> float:
    """Seconds from the window's begin (UTC epoch seconds) to midnight UTC of its ``day``, counted from 1."""
    return (day - 1) * 86_400.0 - window_start_s % 86_400.0
