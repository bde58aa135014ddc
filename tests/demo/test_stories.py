"""Every story of the demo, asserted from the simulator's own truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from budget_model.demo import scenario as sc
from budget_model.demo.plans import CANCELLED, FAILED, OK, slow_retrieval
from budget_model.demo.timeline import Simulation

Mask = NDArray[np.bool_]


def rank(values: NDArray[np.int64], q: float) -> float:
    """Nearest rank, nanoseconds to milliseconds."""
    assert values.size >= 30
    return float(np.sort(values)[math.ceil(values.size * q - 1e-9) - 1]) / 1e6


def ok(sim: Simulation) -> Mask:
    return np.asarray(sim.plans.end == OK)


def in_region(sim: Simulation, name: str) -> Mask:
    return np.asarray(sim.traffic.region == [r.name for r in sc.REGIONS].index(name))


def of_tenant(sim: Simulation, name: str) -> Mask:
    return np.asarray(sim.traffic.tenant == [t.name for t in sc.TENANTS].index(name))


def window_start_s(sim: Simulation) -> float:
    return sim.window_start_ns / 1e9


def beside_long_prompts(sim: Simulation) -> Mask:
    """Requests that were in an engine while the long-prompt tenant's prompt was read on the same replica."""
    parts, served = sim.parts, sim.served
    arrival = sim.start_ns + parts.before_engine() + parts.engine_up + parts.engine_front
    left = arrival + parts.queue + parts.prefill + parts.decode
    began, read = arrival + parts.queue, arrival + parts.queue + parts.prefill
    beside = np.zeros(len(sim), dtype=bool)
    long = of_tenant(sim, sc.LONG_TENANT) & (sim.traffic.workload == sc.SUMMARIZE)
    for replica in np.unique(served.replica[long & (served.replica >= 0)]):
        here = np.flatnonzero(served.replica == replica)
        prompts = here[long[here]]
        order = np.argsort(began[prompts])
        starts, ends = began[prompts][order], np.maximum.accumulate(read[prompts][order])
        last = np.searchsorted(starts, left[here]) - 1
        beside[here] = (last >= 0) & (ends[last] > arrival[here])
    return beside & ~of_tenant(sim, sc.LONG_TENANT)


@pytest.mark.parametrize("workload", range(len(sc.WORKLOADS)))
def test_every_workload_has_enough_requests_for_a_p99_with_an_interval(
    full: Simulation, workload: int
) -> None:
    assert np.count_nonzero(ok(full) & (full.traffic.workload == workload)) > 4_000


def test_every_tenant_region_and_model_has_traffic(full: Simulation) -> None:
    assert np.bincount(full.traffic.tenant, minlength=len(sc.TENANTS)).min() > 1_500
    assert np.bincount(full.traffic.region, minlength=len(sc.REGIONS)).min() > 4_000
    assert np.bincount(full.plans.large, minlength=len(sc.MODELS)).min() > 10_000


def test_one_percent_fails_and_more_succeed_after_a_retry(full: Simulation) -> None:
    assert np.count_nonzero(full.plans.end == FAILED) == len(full) // 100
    assert np.count_nonzero(full.plans.end == CANCELLED) == 160
    retried = ok(full) & (full.plans.failed_attempts > 0)
    assert np.count_nonzero(retried) == 1_000
    assert (full.parts.hops()["retry"][retried] > 0).all()


def test_long_prompts_of_one_tenant_slow_those_beside_them(full: Simulation) -> None:
    shared = full.plans.large & in_region(full, "eu-west-1") & ~of_tenant(full, sc.LONG_TENANT)
    others = ok(full) & shared & ~full.served.cold
    beside = beside_long_prompts(full)
    per_token = (full.parts.decode / np.maximum(1, full.plans.output - 1)).astype(np.int64)
    assert np.count_nonzero(others & beside) > 100
    assert rank(per_token[others & beside], 0.5) > 1.2 * rank(per_token[others & ~beside], 0.5)
    first = full.parts.queue + full.parts.prefill
    assert rank(first[others & beside], 0.5) > 3 * rank(first[others & ~beside], 0.5)


def test_the_region_with_the_long_prompts_has_the_worse_tail_for_everyone_else(full: Simulation) -> None:
    others = ok(full) & ~of_tenant(full, sc.LONG_TENANT) & full.plans.large
    others &= (full.traffic.workload == sc.CHAT) | (full.traffic.workload == sc.RAG)
    e2e = full.parts.e2e()
    shared, apart = others & in_region(full, "eu-west-1"), others & in_region(full, "us-east-1")
    assert rank(e2e[shared], 0.99) > 1.2 * rank(e2e[apart], 0.99)
    assert rank(e2e[shared], 0.50) < 1.1 * rank(e2e[apart], 0.50), "the median does not show it"


def test_the_new_prompt_version_writes_longer_answers_from_day_nine(full: Simulation) -> None:
    chat = ok(full) & (full.traffic.workload == sc.CHAT)
    newer = chat & full.plans.new_version
    begins = sc.day_start_s(window_start_s(full), 9)
    assert full.traffic.start_s[newer].min() >= begins
    older_after = chat & ~full.plans.new_version & (full.traffic.start_s >= begins)
    assert np.count_nonzero(older_after) > 368, "the older version stays for comparison"
    for older in (older_after, chat & (full.traffic.start_s < begins)):
        grown = rank(full.parts.decode[newer], 0.5) / rank(full.parts.decode[older], 0.5)
        assert 1.3 < grown < 1.7


def test_the_far_region_pays_in_the_network_alone(full: Simulation) -> None:
    hops = full.parts.hops()
    far, near = ok(full) & in_region(full, sc.FAR_REGION), ok(full) & in_region(full, "us-east-1")
    assert rank(hops["network"][far], 0.5) > 5 * rank(hops["network"][near], 0.5)
    assert rank(hops["decode"][far], 0.5) < 1.15 * rank(hops["decode"][near], 0.5)


def test_retrieval_is_slow_for_one_weekday_afternoon(full: Simulation) -> None:
    rag = ok(full) & (full.traffic.workload == sc.RAG)
    slow = slow_retrieval(full.traffic.start_s, window_start_s(full))
    retrieval = full.parts.hops()["retrieval"]
    assert np.count_nonzero(rag & slow) > 100
    assert rank(retrieval[rag & slow], 0.5) > 4 * rank(retrieval[rag & ~slow], 0.5)
    first, _last = sc.slow_retrieval_s(window_start_s(full))
    assert sc.weekday(window_start_s(full) + first) < 5


def test_cold_starts_are_few_and_slow(full: Simulation) -> None:
    cold = ok(full) & full.served.cold
    assert 0.002 < np.count_nonzero(cold) / len(full) < 0.01
    ttft = full.parts.queue + full.parts.prefill
    assert rank(ttft[cold], 0.5) > 20 * rank(ttft[ok(full) & ~full.served.cold], 0.5)


def test_queueing_is_nothing_in_the_median_and_much_of_the_tail(full: Simulation) -> None:
    chat = ok(full) & (full.traffic.workload == sc.CHAT)
    e2e, queue = full.parts.e2e(), full.parts.queue
    assert rank(queue[chat], 0.5) < 5
    tail = chat & (e2e >= np.sort(e2e[chat])[math.ceil(0.985 * np.count_nonzero(chat))])
    assert queue[tail].mean() > 0.2 * e2e[tail].mean()
    assert 1_500 < rank(e2e[chat], 0.5) < 2_500
    assert 6_000 < rank(e2e[chat], 0.99) < 10_000


def test_some_time_is_covered_by_no_span_and_most_of_it_in_code_requests(full: Simulation) -> None:
    gap = full.parts.hops()["unattributed"]
    code = full.traffic.workload == sc.CODE
    assert (gap > 0).all()
    assert rank(gap[ok(full) & code], 0.5) > 4 * rank(gap[ok(full) & ~code], 0.5)
