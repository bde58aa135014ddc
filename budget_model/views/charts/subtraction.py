"""The subtraction: from the target down, line by line, to what prefill and decode may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from budget_model.domain.allocation import Allocation
from budget_model.domain.budget_lines import HEADROOM, Line
from budget_model.domain.hops import HOPS, Hop
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts import base
from budget_model.views.charts.colours import HOP_COLOURS, HOP_PATTERNS, TOTAL_COLOUR

HEADROOM_COLOUR = "#b9c2cf"
LABEL_ROOM_PX = 186
ROW_PX = 22
VALUE_PX = 76

_LAST = (str(Hop.PREFILL), str(Hop.DECODE))


@dataclass(frozen=True, slots=True)
class Step:
    """One bar: from ``end_us`` - ``us`` to ``end_us``; microseconds."""

    name: str
    us: int
    end_us: int
    printed_ms: int
    locked: bool


def steps(allocation: Allocation) -> tuple[Step, ...]:
    """Bars from the target down: headroom, overhead, retry, unattributed, then prefill and decode.

    Each begins where the one before ends, and the last ends at zero.
    """
    found: list[Step] = []
    end = allocation.question.target_us
    for line in sorted(allocation.lines, key=_place):
        found.append(Step(line.name, line.us, end, line.printed_ms, line.locked))
        end -= line.us
    return tuple(found)


def _place(line: Line) -> tuple[int, int]:
    if line.name == HEADROOM:
        return 0, 0
    return (2 if line.name in _LAST else 1), HOPS.index(Hop(line.name))


def subtraction_figure(allocation: Allocation, observed_ms: Mapping[str, float]) -> go.Figure:
    """The budget lines as a falling waterfall, and under each its bar as observed now.

    x in milliseconds (seconds from 10 s on). Printed labels add to the printed target exactly.
    """
    bars = steps(allocation)
    target_us = allocation.question.target_us
    reach = max([target_us, *(_start(step) + _now_us(step, observed_ms) for step in bars)]) / 1000
    scale, unit = base.time_axis_unit(reach)
    names = ["target", *(_name(step) for step in bars)]
    drawn = base.figure(44 + ROW_PX * len(names), right=LABEL_ROOM_PX, top=4)
    drawn.add_bar(
        name="budget",
        orientation="h",
        y=names,
        x=[target_us / 1000 / scale, *(step.us / 1000 / scale for step in bars)],
        base=[0.0, *(_start(step) / 1000 / scale for step in bars)],
        width=0.52,
        offset=-0.38,
        marker={
            "color": [TOTAL_COLOUR, *(HOP_COLOURS.get(step.name, HEADROOM_COLOUR) for step in bars)],
            "pattern": {
                "shape": ["", *(HOP_PATTERNS.get(step.name, "") for step in bars)],
                "fgcolor": "#f2f4f7",
                "size": 6,
            },
        },
        text=[_target(allocation), *(_label(step, observed_ms) for step in bars)],
        textposition="none",
        customdata=["target", *(step.name for step in bars)],
        hovertext=[_target(allocation), *(_hover(step, allocation, observed_ms) for step in bars)],
        hoverinfo="text",
    )
    drawn.add_bar(
        name="in today's tail",
        orientation="h",
        y=names,
        x=[
            allocation.observed_us / 1000 / scale,
            *(_now_us(step, observed_ms) / 1000 / scale for step in bars),
        ],
        base=[0.0, *(_start(step) / 1000 / scale for step in bars)],
        width=0.2,
        offset=0.16,
        marker={"color": "rgba(128,140,155,0.75)"},
        customdata=["target", *(step.name for step in bars)],
        hoverinfo="skip",
    )
    _labels_right(drawn, reach / scale)
    drawn.update_yaxes(autorange="reversed", showgrid=False, title=None)
    drawn.update_xaxes(tickangle=0, nticks=6, title=f"time ({unit})", range=[0, reach / scale])
    drawn.update_layout(barmode="overlay")
    return drawn


def _labels_right(drawn: go.Figure, reach: float) -> None:
    """Labels in one column at the right: beside a bar they would lie on the bar below."""
    bar = drawn.data[0]
    drawn.add_scatter(
        x=[reach] * len(bar.y),
        y=list(bar.y),
        mode="text",
        text=[f" {label}" for label in bar.text],
        textposition="middle right",
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _start(step: Step) -> int:
    return step.end_us - step.us


def _now_us(step: Step, observed_ms: Mapping[str, float]) -> float:
    return 1000 * observed_ms.get(step.name, 0.0)


def _name(step: Step) -> str:
    kept = "− " if step.name not in _LAST else ""
    return kept + text.chart(step.name) + (" (locked)" if step.locked else "")


def _target(allocation: Allocation) -> str:
    today = words.duration(allocation.observed_us / 1000)
    return f"{words.whole_ms(round(allocation.question.target_us / 1000))} · now {today}"


def _label(step: Step, observed_ms: Mapping[str, float]) -> str:
    short = step.printed_ms == 0 and step.us > 0
    printed = words.duration(step.us / 1000) if short else words.whole_ms(step.printed_ms)
    now = observed_ms.get(step.name)
    return printed if now is None else f"{printed} · now {words.duration(now)}"


def _hover(step: Step, allocation: Allocation, observed_ms: Mapping[str, float]) -> str:
    part = words.share(step.us / allocation.question.target_us)
    lines = [f"<b>{text.chart(step.name)}: {words.duration(step.us / 1000)}</b>, {part} of the target"]
    if step.name == HEADROOM:
        lines.append("kept back for what the sample cannot know")
    elif step.locked:
        lines.append("held at its contract in every request")
    if step.name in observed_ms:
        lines.append(f"in today's tail: {words.duration(observed_ms[step.name])}")
    limit = allocation.guard_limits_us.get(Hop(step.name)) if step.name != HEADROOM else None
    if limit is not None:
        lines.append(f"own limit: {words.duration(limit / 1000)} (own limits do not add)")
    return "<br>".join(lines)


def overhead_figure(allocation: Allocation) -> go.Figure:
    """Why there is no budget: overhead alone, hop on hop, against what the target leaves for all of it."""
    infeasible = allocation.infeasible
    bars = sorted(infeasible.cut_first, key=lambda bar: HOPS.index(bar[0])) if infeasible else []
    total = sum(us for _, us in bars)
    effective = allocation.question.effective_us
    scale, unit = base.time_axis_unit(max(total, effective) / 1000)
    starts = [sum(us for _, us in bars[:i]) for i in range(len(bars))]
    names = [text.chart(hop) for hop, _ in bars]
    drawn = base.figure(110 + ROW_PX * len(bars), right=VALUE_PX, top=34)
    drawn.add_bar(
        orientation="h",
        y=names,
        x=[us / 1000 / scale for _, us in bars],
        base=[start / 1000 / scale for start in starts],
        marker={"color": [HOP_COLOURS[hop] for hop, _ in bars]},
        customdata=[str(hop) for hop, _ in bars],
        hoverinfo="skip",
    )
    base.value_column(drawn, [words.duration(us / 1000) for _, us in bars], VALUE_PX)
    drawn.add_vline(
        x=effective / 1000 / scale,
        line={"color": "#c4392d", "width": 2, "dash": "dash"},
        annotation={
            "text": f"target less headroom: {words.duration(effective / 1000)}",
            "yref": "paper",
            "y": 1.0,
            "yanchor": "bottom",
            "xanchor": "center",
        },
    )
    drawn.update_yaxes(autorange="reversed", showgrid=False, title=None)
    drawn.update_xaxes(
        tickangle=0,
        nticks=6,
        title=f"overhead in the tail, compute left out ({unit})",
        range=[0, max(total, effective) / 1000 / scale or 1],
    )
    return drawn
