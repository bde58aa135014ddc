"""Headline figures: a grid of cards of equal height, each with its n and interval beneath."""

from __future__ import annotations

import html
from dataclasses import dataclass

import streamlit as st

from budget_model.queries.results import QuantileEstimate
from budget_model.views import format as words
from budget_model.views import tables


@dataclass(frozen=True, slots=True)
class Card:
    """One headline: what it is, its value in words, one line beneath (safe markup), a badge."""

    title: str
    value: str
    note: str = ""
    badge: str = ""
    pale: bool = False


def show(cards: list[Card], *, key: str) -> None:
    """Draw the cards in a row that wraps."""
    with st.container(key=key):
        st.html(f'<div class="tb-cards">{"".join(_card(card) for card in cards)}</div>')


def _card(card: Card) -> str:
    pale = " tb-few" if card.pale else ""
    return (
        f'<div class="tb-card"><div class="k"><span>{html.escape(card.title)}</span>{card.badge}</div>'
        f'<div class="v{pale}">{html.escape(card.value)}</div><div class="n">{card.note}</div></div>'
    )


def percentile(title: str, value: QuantileEstimate) -> Card:
    """A percentile with interval and grade."""
    return Card(
        title,
        words.estimate(value),
        tables.interval_markup(value),
        tables.grade_markup(value.grade) if value.value_ms is not None else "",
        pale=value.grade == "C",
    )
