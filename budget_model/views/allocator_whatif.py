"""The what-if drawer: changes tried on the measured requests, with own numbers, alone and stacked."""

from __future__ import annotations

import html
from functools import partial

import streamlit as st

from budget_model.domain.whatif.presets import PRESETS, Preset
from budget_model.errors import BudgetError
from budget_model.services.whatif import Effect
from budget_model.views import address, draw, tables, text, whatif_numbers
from budget_model.views import format as words
from budget_model.views.asked import Asked
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.charts.effect import effect_figure
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column
from budget_model.views.whatif_numbers import Knob, Tried, preset_at

PLACES: dict[str, int] = {preset.name: i + 1 for i, preset in enumerate(PRESETS)}

RANKED = (
    Column("Change, on its own"),
    Column("Effect", "r", "change of the percentile, and its 95 % interval"),
)


def asked_for() -> bool:
    """Whether the address wants the drawer open."""
    return bool(address.read("try") or address.read("rank"))


def render(page: Page, answers: BudgetAnswers, question: Asked) -> None:
    """Draw the drawer."""
    tried, complaints = whatif_numbers.decode(address.read("try"))
    for complaint in complaints:
        st.warning(f"The address cannot be used in part. {text.markdown(complaint, 200)}")
    _pick(tried)
    _stack(page, answers, question, tried)
    _ranking(page, answers, question)


def _pick(tried: tuple[Tried, ...]) -> None:
    st.session_state["try"] = [one.preset.name for one in tried]
    st.multiselect(
        "What if: changes to try together, in this order",
        list(PLACES),
        key="try",
        placeholder="Choose changes",
        on_change=_picked,
    )
    for one in tried:
        _numbers(one)


def _picked() -> None:
    before = {one.preset.name: one for one in whatif_numbers.decode(address.read("try"))[0]}
    chosen = [before.get(name, preset_at(PLACES[name])) for name in st.session_state["try"]]
    address.write("try", whatif_numbers.encode(chosen))


def _numbers(one: Tried) -> None:
    with st.container(key=f"tactic-{one.place}"):
        st.html(f'<div class="tb-sub">{preset_markup(one.preset)}</div>')
        if not one.knobs:
            return
        for place, knob in zip(
            st.columns(len(one.knobs), vertical_alignment="bottom"), one.knobs, strict=True
        ):
            with place:
                _number(one, knob)
        if not one.as_published:
            st.button(
                "Back to the published numbers",
                key=f"published-{one.place}",
                on_click=partial(_put, preset_at(one.place)),
            )


def _number(one: Tried, knob: Knob) -> None:
    key, unit = f"tactic-{one.place}-{knob.field}", 100 if knob.percent else 1
    st.session_state[key] = round(one.number(knob) * unit, 6)
    st.number_input(
        knob.label,
        min_value=float(knob.least * unit),
        max_value=float(knob.most * unit),
        step=5.0 if knob.percent else 0.5,
        format="%.6g",
        key=key,
        on_change=_number_changed,
        args=(one, knob, key, unit),
    )


def _number_changed(one: Tried, knob: Knob, key: str, unit: int) -> None:
    value = st.session_state.get(key)
    if value is not None:
        _put(one.with_number(knob, value / unit))


def _put(changed: Tried) -> None:
    now = whatif_numbers.decode(address.read("try"))[0]
    kept = [changed if one.place == changed.place else one for one in now]
    address.write("try", whatif_numbers.encode(kept))


def preset_markup(preset: Preset) -> str:
    """A preset with its published range, source and assumption."""
    return (
        f"<b>{html.escape(preset.name)}</b>: {html.escape(preset.published)} "
        f"<i>({html.escape(preset.source)})</i> {html.escape(preset.tactic.assumption)}"
    )


def _stack(page: Page, answers: BudgetAnswers, question: Asked, chosen: tuple[Tried, ...]) -> None:
    if not chosen:
        st.caption("Choose one or more changes to see what they do to each hop.")
        return
    try:
        effect = answers.effect(page.filter, question.q, [one.preset.tactic for one in chosen])
    except BudgetError as refusal:
        st.warning(text.markdown(str(refusal), 300))
        return
    st.html(f'<div class="tb-lead">{effect_words(effect, question.q)}</div>')
    draw.chart(effect_figure(effect), key="what-if-bars", alt="Hop bars before and after the changes")
    st.caption(
        f"Each side adds to its {words.percentile(question.q)}. They are not the same requests, so a hop "
        "that nothing changed may differ."
    )


def effect_words(effect: Effect, q: float) -> str:
    """The effect in one sentence, and the other bound where a second call may be as slow as the first."""
    name = words.percentile(q)
    said = (
        f"The {name} goes from {words.duration(effect.before_ms)} to "
        f"<b>{words.duration(effect.after_ms)}</b> "
        f"({words.signed(effect.change_ms)}; {interval_words(effect)})."
    )
    if effect.dependent_ms is None or words.duration(effect.dependent_ms) == words.duration(effect.after_ms):
        return said
    return (
        f'{said}<div class="tb-sub">If what slows a retrieval slows its second call too, hedging gains '
        f"nothing: then {words.duration(effect.dependent_ms)}.</div>"
    )


def interval_words(effect: Effect) -> str:
    """The interval of the change, or that the sample is too small for one."""
    if effect.interval_ms is None:
        return f"no interval below {effect.least_n:,} requests, n = {effect.n:,}"
    low, high = effect.interval_ms
    return f"95 % interval {words.signed(low)} to {words.signed(high)}"


def _ranking(page: Page, answers: BudgetAnswers, question: Asked) -> None:
    draw.heading("What would buy the most here")
    st.session_state["rank"] = address.one_of("rank", ("1",), "") == "1"
    st.toggle(
        "Try every change on its own",
        key="rank",
        on_change=lambda: address.write("rank", "1" if st.session_state["rank"] else ""),
    )
    if address.read("rank") != "1":
        st.caption("On many requests this takes some seconds.")
        return
    found: list[tuple[Preset, Effect]] = []
    with st.spinner("Trying each change …"):
        for preset in PRESETS:
            try:
                found.append((preset, answers.effect(page.filter, question.q, (preset.tactic,))))
            except BudgetError as refusal:
                st.caption(f"{preset.name}: {text.markdown(str(refusal), 300)}")
    tables.show(RANKED, ranked_rows(found), key="what-if-ranking")
    st.caption("Published ranges are a starting point, not a forecast: try a change before you promise it.")


def ranked_rows(found: list[tuple[Preset, Effect]]) -> list[list[Cell | str]]:
    """A row per change, the one that shortens the percentile most first."""
    ordered = sorted(found, key=lambda pair: pair[1].change_ms)
    return [
        [
            Cell(
                f"{html.escape(preset.name)}<details><summary>assumes …</summary>"
                f"<small>{html.escape(preset.published)} {html.escape(preset.tactic.assumption)} "
                f"{html.escape(preset.source)}.</small></details>"
            ),
            Cell(
                f'<span class="nw">{words.signed(effect.change_ms)}</span><br>'
                f"<small>{interval_words(effect).removeprefix('95 % interval ')}<br>"
                f"to {words.duration(effect.after_ms)}</small>"
            ),
        ]
        for preset, effect in ordered
    ]
