from __future__ import annotations

import numpy as np
import pytest

from bench.hindcast import LOG, RULES, every_other, hindcast, log_parts
from budget_model.domain.budget_question import Sample
from budget_model.domain.hops import Hop
from tests.domain.lattices import N, lattice


def test_later_traffic_that_is_the_same_meets_the_joint_budget_exactly() -> None:
    row = hindcast("same", lattice("load"), lattice("load"), 0.99, 0.8)
    joint = row.outcomes["joint"]
    assert joint.later_ms == pytest.approx(0.8 * 5639.142, rel=1e-6)
    assert joint.tight == pytest.approx(1)
    assert (joint.kept, joint.spared) == (True, True)
    assert row.target_ms == pytest.approx(0.8 * 5639.142 / 0.9, rel=1e-6)


def test_the_naive_limit_is_tighter_than_the_same_traffic_needs() -> None:
    row = hindcast("same", lattice("indep"), lattice("indep"), 0.99, 1.0)
    naive = row.outcomes["naive"]
    assert naive.later_ms == pytest.approx(3100, rel=0.05)
    assert naive.tight is not None
    assert naive.tight > 1.3


def test_a_rule_that_leaves_compute_no_time_keeps_nothing() -> None:
    row = hindcast("hard", lattice("indep"), lattice("indep"), 0.99, 0.3)
    assert row.outcomes["naive"].scale is None
    assert not row.outcomes["naive"].kept
    assert row.outcomes["joint"].kept


def test_slower_overhead_later_breaks_a_budget_and_may_leave_no_way_to_keep_it() -> None:
    slower = lattice("load").hops * np.where(np.arange(10) == 4, 20, 1)
    row = hindcast("queue", lattice("load"), Sample(slower, np.full(10, N)), 0.99, 1.0)
    assert not row.outcomes["joint"].kept
    assert row.outcomes["joint"].tight is None


def test_the_bundled_log_is_divided_without_losing_a_request() -> None:
    parts = log_parts(LOG)
    assert [(first.n, second.n) for first, second in parts.values()] == [(286, 286), (286, 286)]
    first, _ = parts["first half, second half"]
    assert first.is_recorded(Hop.DECODE)
    assert list(hindcast("log", *parts["every other request"], 0.95, 1.0).outcomes) == list(RULES)


def test_every_other_request_goes_to_the_other_part() -> None:
    first, second = every_other(np.arange(50.0).reshape(5, 10))
    assert first.hops[:, 0].tolist() == [0, 20, 40]
    assert second.hops[:, 0].tolist() == [10, 30]
