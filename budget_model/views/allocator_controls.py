"""The allocator's controls. Each is set from the address and writes the whole question into it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from budget_model.domain.budget_question import MOST_TARGET_S
from budget_model.domain.hops import HOP_MEANING, HOPS, MEASURED_HOPS, Hop
from budget_model.domain.strategies import STRATEGY_MEANING, Strategy
from budget_model.services.allocating import Proposal
from budget_model.services.allocation_notes import is_bounded
from budget_model.views import address, asked
from budget_model.views import format as words
from budget_model.views.asked import Asked
from budget_model.views.frame import Page

STRATEGY_NAMES: dict[Strategy, str] = {
    Strategy.EULER: "As in a tail request (default)",
    Strategy.EQUAL_EXCEEDANCE: "Equally often exceeded",
    Strategy.JOINT_COVERAGE: "Every line kept at once",
    Strategy.PROPORTIONAL: "In proportion to mean time",
    Strategy.COST_MINIMAL: "Cheapest compute",
    Strategy.TOKEN_NEED: "What an answer length needs",
}
"""How the strategies are written for people."""

HOP_NAMES = tuple(str(hop) for hop in HOPS)
"""Names of all hops in path order."""

_DEFAULT = "allocator-default"


def default_question(page: Page) -> Asked:
    """What a visitor who asked nothing is shown: the highest usual percentile that can have a budget,
    at today's value rounded up."""
    counts = page.answers.counts(page.filter)
    q = default_percentile(counts.ok, counts.failed)
    if address.read("q") in {f"{usual:g}" for usual in asked.QUANTILES}:
        q = float(address.read("q"))
    today_ms = _today_ms(page, q)
    default = Asked(nice_up((today_ms or 5000.0) / 1000), q)
    st.session_state[_DEFAULT] = default
    return default


def _today_ms(page: Page, q: float) -> float | None:
    (row,) = page.answers.percentiles(page.filter, ("e2e",), (q,))
    return row.estimates[0].value_ms


def default_percentile(ok: int, failed: int) -> float:
    """The highest of p50 to p99 for which there are requests enough and failures few enough."""
    usable = [q for q in asked.QUANTILES if q <= asked.DEFAULT_Q and is_bounded(q, ok, failed)]
    return max(usable, default=asked.DEFAULT_Q)


def nice_up(value: float) -> float:
    """The next number with two figures.

    >>> [nice_up(x) for x in (9.823, 0.431, 123.0)]
    [9.9, 0.44, 130.0]
    """
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(math.ceil(value / step - 1e-9) * step, 6)


def put(change: Callable[[Asked], Asked]) -> None:
    """Change the question in the address; what other controls changed in the same run is kept."""
    now, _ = asked.decode(address.kept(*asked.PARAMETERS), st.session_state.get(_DEFAULT, Asked(5.0)))
    parameters = asked.encode(change(now))
    for name in asked.PARAMETERS:
        if name in parameters:
            st.query_params[name] = parameters[name]
        elif name in st.query_params and name not in ("try", "rank", "beside"):
            del st.query_params[name]


def _from_widget(key: str, change: Callable[[Asked, float], Asked]) -> None:
    value = st.session_state.get(key)
    if value is not None:
        put(lambda now: change(now, value))


def render(page: Page, question: Asked, proposal: Proposal | None) -> None:
    """Draw all controls for ``question``."""
    with st.container(key="allocator-controls"):
        _target(page, question)
        _percentile(question)
        _headroom(question, proposal)
        _strategy(question)
        _locks(question, proposal)


def _target(page: Page, question: Asked) -> None:
    today_s = (_today_ms(page, question.q) or 1000.0) / 1000
    most = max(nice_up(2 * today_s), question.target_s)
    step = 10.0 ** (math.floor(math.log10(most)) - 2)
    for key in ("target-number", "target-slider"):
        st.session_state[key] = float(question.target_s)
    change = _set_target
    st.number_input(
        "Target, end to end (s)",
        min_value=0.001,
        max_value=MOST_TARGET_S,
        step=step * 10,
        format="%.6g",
        key="target-number",
        on_change=_from_widget,
        args=("target-number", change),
    )
    st.slider(
        "Target (s)",
        min_value=min(step, question.target_s),
        max_value=float(most),
        step=step,
        format="%.4g s",
        key="target-slider",
        on_change=_from_widget,
        args=("target-slider", change),
        label_visibility="collapsed",
    )


def _set_target(now: Asked, seconds: float) -> Asked:
    return replace(now, target_s=round(seconds, 6))


def _percentile(question: Asked) -> None:
    options = sorted({*asked.QUANTILES, question.q})
    st.session_state["allocator-q"] = question.q
    st.segmented_control(
        "Percentile",
        options,
        key="allocator-q",
        required=True,
        format_func=words.percentile,
        on_change=_from_widget,
        args=("allocator-q", lambda now, q: replace(now, q=q)),
    )


def _headroom(question: Asked, proposal: Proposal | None) -> None:
    st.session_state["headroom"] = round(100 * question.headroom, 4)
    st.number_input(
        "Headroom (% of the target kept back)",
        min_value=0.0,
        max_value=99.0,
        step=1.0,
        format="%.4g",
        key="headroom",
        on_change=_from_widget,
        args=("headroom", lambda now, percent: replace(now, headroom=round(percent / 100, 6))),
    )
    advised = proposal.allocation.recommended_headroom if proposal and proposal.allocation else None
    if advised is None:
        return
    rounded = math.ceil(1000 * advised) / 1000
    st.button(
        f"Take the recommended {words.share(rounded)}",
        key="take-headroom",
        disabled=abs(rounded - question.headroom) < 1e-9,
        help="The least headroom at which a budget on this sample would still pass its own verdict.",
        on_click=partial(put, lambda now: replace(now, headroom=rounded)),
        width="stretch",
    )


def _strategy(question: Asked) -> None:
    st.session_state["strategy"] = question.strategy
    st.selectbox(
        "Strategy",
        list(Strategy),
        key="strategy",
        format_func=lambda name: STRATEGY_NAMES[name],
        on_change=_from_widget,
        args=("strategy", Asked.with_strategy),
    )
    st.caption(STRATEGY_MEANING[question.strategy])
    if question.strategy is Strategy.TOKEN_NEED:
        st.session_state["answer-tokens"] = question.answer_tokens
        st.number_input(
            "Answer length to pay for (tokens)",
            min_value=1,
            step=50,
            key="answer-tokens",
            on_change=_from_widget,
            args=("answer-tokens", lambda now, n: replace(now, answer_tokens=int(n))),
        )
    if question.strategy is Strategy.COST_MINIMAL:
        st.session_state["decode-cost"] = question.decode_cost
        st.number_input(
            "Cost of decode speed (prefill speed costs 1)",
            min_value=0.001,
            max_value=1000.0,
            key="decode-cost",
            format="%.4g",
            on_change=_from_widget,
            args=("decode-cost", lambda now, cost: replace(now, decode_cost=cost)),
        )


def locks_title(question: Asked) -> str:
    """The expander's title, which names what is locked while it is closed."""
    if not question.locks:
        return "Locks: none"
    named = [f"{hop} {words.duration(us / 1000)}" for hop, us in question.locks.items()]
    return f"Locks: {', '.join(named)}"


def _locks(question: Asked, proposal: Proposal | None) -> None:
    observed = {bar.hop: bar.ms for bar in proposal.observed.bars} if proposal else {}
    with st.expander(locks_title(question), key="locks", expanded=bool(question.locks)):
        st.caption("A contract in ms holds the hop at it in every request. Empty: as observed.")
        for hop in MEASURED_HOPS:
            _lock(hop, question, observed.get(hop))


def _lock(hop: Hop, question: Asked, observed_ms: float | None) -> None:
    key = f"lock-{hop}"
    lock_us = question.locks.get(hop)
    st.session_state[key] = None if lock_us is None else lock_us / 1000
    name, value = st.columns([4, 6], vertical_alignment="center", gap="small")
    now = "not recorded" if observed_ms is None else f"now {words.duration(observed_ms)}"
    name.html(
        f'<div class="tb-lock" title="{HOP_MEANING[hop]}"><span class="tb-dot hop-{hop}"></span>{hop}'
        f"<br><small>{now}</small></div>"
    )
    value.number_input(
        f"Lock {hop} (ms)",
        min_value=0.0,
        max_value=1000 * MOST_TARGET_S,
        value=None,
        step=10.0,
        format="%.6g",
        key=key,
        placeholder="observed",
        label_visibility="collapsed",
        on_change=_lock_changed,
        args=(hop, key),
    )


def _lock_changed(hop: Hop, key: str) -> None:
    value = st.session_state.get(key)
    put(lambda now: now.with_lock(hop, None if value is None else round(1000 * value)))
