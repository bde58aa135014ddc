"""What each request needs before and after the engine: tokens, parts of its path, attempts, its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.demo import scenario as sc
from budget_model.demo.traffic import Traffic

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

OK, FAILED, CANCELLED = range(3)
REFUSED, TIMED_OUT, REJECTED = range(3)
"""Why an attempt failed: no replica ready, no answer in time, or a request that no attempt can save."""


@dataclass(frozen=True, slots=True)
class Plans:
    """One entry a request. Times in milliseconds; a part that a request does not have is NaN."""

    prompt: Ints
    output: Ints
    large: Bools
    new_version: Bools
    end: Ints  # OK, FAILED or CANCELLED
    failed_attempts: Ints
    failure: Ints  # of its failed attempts
    attempt_ms: Floats  # (n, 3) each failed attempt
    back_off_ms: Floats  # (n, 3) wait after each failed attempt
    build_ms: Floats
    app_ms: Floats  # no span covers it
    up_ms: Floats
    auth_ms: Floats
    route_ms: Floats
    limit_ms: Floats
    search_ms: Floats  # (n, 3) parallel vector searches
    rerank_ms: Floats
    sync_ms: Floats
    engine_up_ms: Floats
    engine_front_ms: Floats  # tokenising, before the engine's queue
    engine_down_ms: Floats
    guard_ms: Floats
    down_ms: Floats
    render_ms: Floats
    audit_ms: Floats


def draw_plans(rng: np.random.Generator, traffic: Traffic, window_start_s: float) -> Plans:
    """Draw every request's needs; the stories of the scenario are planted here."""
    n = traffic.start_s.size
    end, failed_attempts, failure = _ends(rng, n)
    new_version = _new_version(rng, traffic, window_start_s)
    prompt, output, large = _tokens(rng, traffic, new_version)
    output = np.where(end == CANCELLED, np.maximum(1, output * rng.uniform(0.1, 0.8, n)), output)
    attempt_ms, back_off_ms = _attempts(rng, failed_attempts, failure, end)
    one_way = np.array([r.one_way_ms for r in sc.REGIONS])[traffic.region]
    code = traffic.workload == sc.CODE
    return Plans(
        prompt=prompt,
        output=output.astype(np.int64),
        large=large,
        new_version=new_version,
        end=end,
        failed_attempts=failed_attempts,
        failure=failure,
        attempt_ms=attempt_ms,
        back_off_ms=back_off_ms,
        build_ms=_spread(rng, 7.0, 0.4, n),
        app_ms=_spread(rng, 18.0, 0.7, n),
        up_ms=_transit(rng, one_way),
        auth_ms=_spread(rng, 3.5, 0.5, n),
        route_ms=_spread(rng, 1.6, 0.4, n),
        limit_ms=_some(rng, 0.04, _spread(rng, 220.0, 0.6, n)),
        search_ms=_searches(rng, traffic, window_start_s),
        rerank_ms=np.where(traffic.workload == sc.RAG, _spread(rng, 55.0, 0.4, n), np.nan),
        sync_ms=np.where(code, _spread(rng, 170.0, 0.6, n), np.nan),
        engine_up_ms=_spread(rng, 0.9, 0.3, n),
        engine_front_ms=_spread(rng, 1.8, 0.3, n) + prompt / 4000.0,
        engine_down_ms=_spread(rng, 0.9, 0.3, n),
        guard_ms=_spread(rng, 38.0, 0.55, n),
        down_ms=_transit(rng, one_way),
        render_ms=_spread(rng, 28.0, 0.5, n),
        audit_ms=_some(rng, sc.AUDITED_SHARE, _spread(rng, 900.0, 0.8, n)),
    )


def _spread(rng: np.random.Generator, median: float, sigma: float, n: int) -> Floats:
    return np.asarray(median * np.exp(sigma * rng.standard_normal(n)))


def _some(rng: np.random.Generator, share: float, values: Floats) -> Floats:
    return np.where(rng.random(values.size) < share, values, np.nan)


def _transit(rng: np.random.Generator, one_way_ms: Floats) -> Floats:
    """Jitter on top of the distance; one call in 50 first opens a connection (three more ways)."""
    n = one_way_ms.size
    handshake = np.where(rng.random(n) < 0.02, 3.0, 0.0)
    return one_way_ms * (1.0 + handshake + 0.25 * rng.exponential(1.0, n))


def _ends(rng: np.random.Generator, n: int) -> tuple[Ints, Ints, Ints]:
    """How each request ends, its failed attempts and their reason; the shares are met exactly."""
    order = rng.permutation(n)
    bounds = np.cumsum([round(n * s) for s in (sc.FAILED_SHARE, sc.CANCELLED_SHARE, sc.RETRIED_SHARE)])
    failed, cancelled, retried = np.split(order, bounds)[:3]
    end, attempts = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    failure = rng.choice((REFUSED, TIMED_OUT), n, p=(0.65, 0.35))
    end[failed], end[cancelled] = FAILED, CANCELLED
    hopeless = failed[: failed.size // 3]
    failure[hopeless] = REJECTED
    attempts[failed], attempts[hopeless] = sc.MOST_ATTEMPTS, 1
    attempts[retried] = rng.choice((1, 2), retried.size, p=(0.85, 0.15))
    return end, attempts, failure


def _attempts(rng: np.random.Generator, attempts: Ints, failure: Ints, end: Ints) -> tuple[Floats, Floats]:
    shape = (attempts.size, sc.MOST_ATTEMPTS)
    number = np.arange(sc.MOST_ATTEMPTS)
    median = np.array([45.0, 2200.0, 12.0])[failure]
    spread = np.where(failure == TIMED_OUT, 0.08, 0.5)
    lasted = median[:, None] * np.exp(spread[:, None] * rng.standard_normal(shape))
    back_off = 250.0 * 2.0**number * rng.uniform(0.8, 1.2, shape)
    again = attempts - (end == FAILED)
    return (
        np.where(number < attempts[:, None], lasted, np.nan),
        np.where(number < again[:, None], back_off, np.nan),
    )


def _new_version(rng: np.random.Generator, traffic: Traffic, window_start_s: float) -> Bools:
    out = traffic.start_s >= sc.day_start_s(window_start_s, sc.NEW_VERSION_DAY)
    return np.asarray(
        (traffic.workload == sc.CHAT) & out & (rng.random(out.size) < sc.NEW_VERSION_SHARE), dtype=np.bool_
    )


def _tokens(rng: np.random.Generator, traffic: Traffic, new_version: Bools) -> tuple[Ints, Floats, Bools]:
    n = traffic.workload.size
    of = [sc.WORKLOADS[w] for w in range(len(sc.WORKLOADS))]
    long = (traffic.workload == sc.SUMMARIZE) & (
        traffic.tenant == [t.name for t in sc.TENANTS].index(sc.LONG_TENANT)
    )
    median = np.where(long, sc.LONG_PROMPT_MEDIAN, np.array([w.prompt_median for w in of])[traffic.workload])
    sigma = np.where(long, sc.LONG_PROMPT_SIGMA, np.array([w.prompt_sigma for w in of])[traffic.workload])
    prompt = np.clip(median * np.exp(sigma * rng.standard_normal(n)), 12, sc.MOST_PROMPT_TOKENS)
    output = np.array([w.output_median for w in of])[traffic.workload] * np.exp(
        np.array([w.output_sigma for w in of])[traffic.workload] * rng.standard_normal(n)
    )
    output = np.maximum(3.0, output * np.where(new_version, sc.NEW_VERSION_OUTPUT_FACTOR, 1.0))
    large = (rng.random(n) < np.array([w.large_share for w in of])[traffic.workload]) | long
    return prompt.astype(np.int64), output, large


def slow_retrieval(start_s: Floats, window_start_s: float) -> Bools:
    """Whether each moment (seconds since the window began) lies in the afternoon of slow retrieval."""
    first, last = sc.slow_retrieval_s(window_start_s)
    return np.asarray((start_s >= first) & (start_s < last), dtype=np.bool_)


def _searches(rng: np.random.Generator, traffic: Traffic, window_start_s: float) -> Floats:
    n = traffic.start_s.size
    slow = np.where(slow_retrieval(traffic.start_s, window_start_s), sc.SLOW_RETRIEVAL_FACTOR, 1.0)
    lasted = 65.0 * np.exp(0.5 * rng.standard_normal((n, 3))) * slow[:, None]
    return np.where((traffic.workload == sc.RAG)[:, None], lasted, np.nan)
