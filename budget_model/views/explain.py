"""The explanation behind each figure: how it was found, with this view's numbers in the formula."""

from __future__ import annotations

import math

import streamlit as st

from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.queries.results import Bar, Difference, QuantileEstimate, Series, Waterfall
from budget_model.views import address, draw, filters
from budget_model.views import format as words


def behind(
    title: str,
    lines: list[str],
    *,
    key: str,
    links: list[tuple[str, str, dict[str, str]]] | None = None,
    f: Filter = EVERYTHING,
) -> None:
    """A small "how is this found" popover with Markdown ``lines`` and links (label, address)."""
    with st.popover("Explain", icon=":material/info:", type="tertiary", key=f"explain-{key}"):
        st.markdown(f"**{title}**")
        st.markdown("\n".join(f"- {line}" for line in lines))
        for label, page, choices in links or []:
            st.page_link(
                address.PAGES[page],
                label=label,
                query_params=address.query(f, **choices),
                icon=":material/list:",
            )


def titled(
    heading: str,
    title: str,
    lines: list[str],
    *,
    key: str,
    links: list[tuple[str, str, dict[str, str]]] | None = None,
    f: Filter = EVERYTHING,
) -> None:
    """A section's heading, ours and never from data, with its explanation on the same line."""
    with st.container(key=f"titled-{key}", horizontal=True, vertical_alignment="center"):
        draw.heading(heading)
        behind(title, lines, key=key, links=links, f=f)


def quantile_lines(value: QuantileEstimate, failed: int, missing: int, f: Filter) -> list[str]:
    """Method, sample, interval and grade of one percentile."""
    name = words.percentile(value.q)
    if value.value_ms is None:
        return [f"No ok request under this filter has the metric, so there is no {name}.", _about(f)]
    rank = max(1, math.ceil(value.n * value.q - 1e-9))
    return [
        _about(f),
        f"Nearest rank: the {name} is the {words.ordinal(rank)} smallest of {value.n:,} values "
        f"(⌈{value.n:,} × {value.q:g}⌉ = {rank:,}): **{words.duration(value.value_ms)}**.",
        f"95 % interval (order statistics, no distribution assumed): {words.interval(value.interval)}.",
        _independence(value),
        f"{words.GRADE_WORDS[value.grade].replace('grade', 'Grade', 1)}.",
        f"{words.plural(failed, 'failed request')} and {words.plural(missing, 'request')} without this "
        "metric are counted here and are not latency samples.",
    ]


def _about(f: Filter) -> str:
    return f"Requests: {filters.in_words(f)}."


def _independence(value: QuantileEstimate) -> str:
    if value.blocks == 0:
        return (
            "Too few requests carry a time, or are slower than this, to see whether slow ones cluster: "
            "they are taken as independent."
        )
    if value.n_eff >= value.n:
        return f"Over {value.blocks} time blocks slow requests do not cluster: all {value.n:,} count."
    return (
        f"Slow requests cluster in time ({value.blocks} blocks), so the {value.n:,} requests count as "
        f"{value.n_eff:,} independent ones."
    )


def waterfall_lines(waterfall: Waterfall) -> list[str]:
    """How the bars were found, and why the hops' own percentiles are not drawn."""
    window, estimate = waterfall.window, waterfall.estimate
    name = words.percentile(estimate.q)
    lines = [
        f"The bars are the mean hop times of the {words.plural(window.size, 'request')} around rank "
        f"{window.rank:,} of {estimate.n:,}, scaled by {window.factor:.4f} "
        f"({words.duration(estimate.value_ms)} ÷ {words.duration(window.mean_ms)}), "
        f"so they add to the {name} exactly.",
        "Shortening a hop by a small share shortens the percentile by that share of its bar.",
        _rounding(waterfall),
    ]
    if window.size == 1:
        lines.append("The sample is so small that the bars are a single request's.")
    if abs(window.factor - 1) > 0.02:
        lines.append(f"The scaling is more than 2 %: requests around the {name} are unevenly spread.")
    biggest = max(waterfall.bars, key=lambda bar: bar.ms, default=None)
    if biggest is not None and waterfall.sum_of_own_quantiles_ms is not None:
        lines.append(_own(biggest, waterfall.sum_of_own_quantiles_ms, name, estimate))
    return lines


def _rounding(waterfall: Waterfall) -> str:
    if waterfall.in_whole_ms:
        return "Labels are whole milliseconds rounded by largest remainder: they add to the printed total."
    return "Labels are whole microseconds: they add to the total."


def _own(bar: Bar, total_ms: float, name: str, estimate: QuantileEstimate) -> str:
    if round(total_ms * 1000) == round((estimate.value_ms or 0.0) * 1000):
        return f"The hops' own {name}s add to the same here: the same request reaches all of them."
    return (
        f"The hops' own {name}s add to {words.duration(total_ms)}, not to "
        f"{words.duration(estimate.value_ms)}: they are reached in different requests. "
        f"({bar.hop} alone: {words.duration(bar.own_quantile_ms)}.)"
    )


def difference_lines(difference: Difference) -> list[str]:
    """How the two waterfalls were subtracted."""
    low, high = difference.low.estimate, difference.high.estimate
    total_ms = (high.value_ms or 0.0) - (low.value_ms or 0.0)
    change = words.printed(total_ms, difference.printed_total_ms, in_whole_ms=difference.in_whole_ms)
    return [
        f"Each hop's bar at the {words.percentile(high.q)} minus its bar at the {words.percentile(low.q)}.",
        f"The changes add to {words.duration(high.value_ms)} − {words.duration(low.value_ms)} = "
        f"{change} exactly.",
    ]


def series_lines(series: Series) -> list[str]:
    """What a point of a trend stands for, and who is in none."""
    lines = [
        f"Each point is the nearest-rank percentile of the ok requests that started in its "
        f"{words.span_of_time(series.bucket_us)} (UTC).",
        "A hollow point: too few requests for a verdict on that p99. A gap: no request at all.",
    ]
    if series.without_time:
        lines.append(f"{words.plural(series.without_time, 'request')} without a time left out.")
    return lines


def traces_at(q: float) -> tuple[str, str, dict[str, str]]:
    """The link to the requests behind a percentile."""
    return f"The requests around the {words.percentile(q)}", "Traces", {"order": "nearest", "q": f"{q:g}"}
