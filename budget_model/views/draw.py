"""Put a chart on a page: the theme's text colour, no tool bar, a description for screen readers."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from budget_model.views.charts import base
from budget_model.views.charts.heat import DARK_SCALE

INK = {"light": "#2b3646", "dark": "#d5dde8"}
"""Chart text by theme: dark enough on light, light enough on dark (contrast above 7)."""


def chart(figure: go.Figure, *, key: str, alt: str) -> None:
    """Draw ``figure``; ``key`` names it for tests, ``alt`` says what it shows."""
    theme = st.context.theme.type or "light"
    ink = INK[theme]
    if theme == "dark":
        figure.update_traces(colorscale=DARK_SCALE, textfont_color="#ffffff", selector={"type": "heatmap"})
    figure.update_layout(font={"color": ink, "size": 13}, legend={"font": {"color": ink, "size": 12.5}})
    figure.update_xaxes(tickfont={"color": ink, "size": 13}, title_font={"color": ink, "size": 13})
    figure.update_yaxes(tickfont={"color": ink, "size": 13}, title_font={"color": ink, "size": 13})
    figure.for_each_trace(lambda bar: bar.update(textfont_color=ink), selector={"type": "bar"})
    st.plotly_chart(figure, key=key, config=base.CONFIG, alt=alt)


def heading(words: str) -> None:
    """A section's heading; ``words`` are ours, never from data."""
    st.html(f'<h3 class="tb-h">{words}</h3>')


def halves(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two columns side by side, one above the other where the window is narrow."""
    with st.container(key=f"halves-{key}"):
        left, right = st.columns(2, gap="large")
    return left, right


def subheading(words: str) -> None:
    """The title of one chart within a section; ``words`` are ours, never from data."""
    st.html(f'<div class="tb-h2">{words}</div>')
