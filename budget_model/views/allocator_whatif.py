"""The what-if drawer: changes tried on the measured requests, alone and stacked."""

from __future__ import annotations

import html

import streamlit as st

from budget_model.domain.whatif.presets import PRESETS, Preset
from budget_model.errors import BudgetError
from budget_model.services.whatif import Effect
from budget_model.views import address, draw, tables, text
from budget_model.views import format as words
from budget_model.views.asked import Asked
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.charts.effect import effect_figure
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

BY_NAME: dict[str, Preset] = {preset.name: preset for preset in PRESETS}
SLUGS: dict[str, str] = {f"{i + 1}": preset.name for i, preset in enumerate(PRESETS)}

RANKED = (
    Column("Change"),
    Column("Effect", "r", "change of the percentile, and its 95 % interval"),
    Column("After", "r"),
    Column("What it assumes"),
)


def render(page: Page, answers: BudgetAnswers, question: Asked) -> None:
    """Draw the drawer; nothing in it is worked out while it is closed."""
    tried = tuple(SLUGS[s] for s in address.read("try").split(",") if s in SLUGS)
    drawer = st.expander(
        "What if: changes to how requests are served",
        key="what-if",
        icon=":material/science:",
        expanded=bool(tried) or address.read("rank") == "1",
        on_change="rerun",
    )
    if not drawer.open:
        return
    with drawer:
        chosen = _pick(tried)
        _stack(page, answers, question, chosen)
        _ranking(page, answers, question)


def _pick(tried: tuple[str, ...]) -> tuple[str, ...]:
    st.session_state["try"] = list(tried)
    st.multiselect(
        "Try these together, applied in this order",
        list(BY_NAME),
        key="try",
        placeholder="Choose changes",
        on_change=_picked,
    )
    for name in tried:
        st.html(f'<div class="tb-sub">{preset_markup(BY_NAME[name])}</div>')
    return tried


def preset_markup(preset: Preset) -> str:
    """A preset with its published range, source and assumption."""
    return (
        f"<b>{html.escape(preset.name)}</b>: {html.escape(preset.published)} "
        f"<i>({html.escape(preset.source)})</i> {html.escape(preset.tactic.assumption)}"
    )


def _picked() -> None:
    slugs = {name: slug for slug, name in SLUGS.items()}
    address.write("try", ",".join(slugs[name] for name in st.session_state["try"]))


def _stack(page: Page, answers: BudgetAnswers, question: Asked, chosen: tuple[str, ...]) -> None:
    if not chosen:
        st.caption("Choose one or more changes to see what they do to each hop.")
        return
    draw.heading("Before and after")
    try:
        effect = answers.effect(page.filter, question.q, [BY_NAME[name].tactic for name in chosen])
    except BudgetError as refusal:
        st.warning(text.markdown(str(refusal), 300))
        return
    st.html(f'<div class="tb-lead">{effect_words(effect, question.q)}</div>')
    draw.chart(effect_figure(effect), key="what-if-bars", alt="Hop bars before and after the changes")


def effect_words(effect: Effect, q: float) -> str:
    """The effect in one sentence."""
    name = words.percentile(q)
    return (
        f"The {name} goes from {words.duration(effect.before_ms)} to "
        f"<b>{words.duration(effect.after_ms)}</b> "
        f"({words.signed(effect.change_ms)}; {interval_words(effect)})."
    )


def interval_words(effect: Effect) -> str:
    """The interval of the change, or that the sample is too small for one."""
    if effect.interval_ms is None:
        return f"no interval below 1,000 requests, n = {effect.n:,}"
    low, high = effect.interval_ms
    return f"95 % interval {words.signed(low)} to {words.signed(high)}"


def _ranking(page: Page, answers: BudgetAnswers, question: Asked) -> None:
    draw.heading("What would buy the most here")
    st.session_state["rank"] = address.read("rank") == "1"
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
            Cell(f"{html.escape(preset.name)}<br><small>{html.escape(preset.published)}</small>"),
            Cell(
                f'<span class="nw">{words.signed(effect.change_ms)}</span><br>'
                f"<small>{interval_words(effect).removeprefix('95 % interval ')}</small>"
            ),
            words.duration(effect.after_ms),
            Cell(f"<small>{html.escape(preset.tactic.assumption)} {html.escape(preset.source)}.</small>"),
        ]
        for preset, effect in ordered
    ]
