from __future__ import annotations

import pytest

from budget_model.domain.hops import Hop
from budget_model.domain.strategies import Strategy
from budget_model.views.asked import Asked, decode, encode

DEFAULT = Asked(7.5, 0.95)


@pytest.mark.parametrize(
    "asked",
    [
        Asked(5.0),
        Asked(0.123456, 0.999, 0.047, Strategy.JOINT_COVERAGE, {Hop.RETRIEVAL: 400_000, Hop.QUEUE: 0}),
        Asked(5.0, strategy=Strategy.TOKEN_NEED, answer_tokens=512),
        Asked(5.0, strategy=Strategy.COST_MINIMAL, decode_cost=2.5),
        Asked(5.0, prefill_share=0.8),
    ],
)
def test_a_question_survives_the_way_through_an_address(asked: Asked) -> None:
    assert decode(encode(asked), DEFAULT) == (asked, [])


def test_an_address_without_a_question_gets_the_default() -> None:
    assert decode({}, DEFAULT) == (DEFAULT, [])


def test_a_sent_link_names_the_defaults_too() -> None:
    assert set(encode(DEFAULT)) == {"target", "q", "headroom", "strategy"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", "soon"),
        ("target", "-5"),
        ("target", "nan"),
        ("target", "inf"),
        ("q", "1"),
        ("headroom", "1.5"),
        ("strategy", "<b>best</b>"),
        ("locks", "retrieval"),
        ("locks", "unattributed:5"),
        ("locks", "retrieval:-1"),
        ("locks", "retrieval:nan"),
    ],
)
def test_what_cannot_be_used_is_said_and_left_out(name: str, value: str) -> None:
    asked, complaints = decode({name: value}, DEFAULT)
    assert asked == DEFAULT
    assert len(complaints) == 1
    assert name.rstrip("s") in complaints[0]


def test_a_locked_hop_can_be_let_go() -> None:
    locked = DEFAULT.with_lock(Hop.RETRIEVAL, 400_000)
    assert locked.locks == {Hop.RETRIEVAL: 400_000}
    assert locked.with_lock(Hop.RETRIEVAL, None) == DEFAULT


def test_the_token_need_is_the_time_after_the_first_token() -> None:
    asked = Asked(5.0, strategy=Strategy.TOKEN_NEED, answer_tokens=101)
    assert asked.rule(20.0).decode_us == 2_000_000
    assert asked.rule(None).decode_us is None
