"""The weekly review: every approved budget held against one ISO week and the week before.

The result is plain values; ``review_json`` and ``review_html`` turn it into documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

import numpy as np

from budget_model.domain.budget import BudgetContent, BudgetState
from budget_model.domain.budget_lines import HEADROOM, Line
from budget_model.domain.burn import burn_rate
from budget_model.domain.error_budget import ErrorBudget
from budget_model.queries.counts import time_range
from budget_model.queries.engine import Engine
from budget_model.queries.estimates import estimates, no_estimate
from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.queries.results import LEAST_IN_WHOLE_MS, Bar, QuantileEstimate, Waterfall
from budget_model.queries.selection import Selection, select
from budget_model.services.attainment import Attainment, attainment
from budget_model.services.budgets import Budgets, BudgetView, segment_filter
from budget_model.services.checking import Check, check_budget
from budget_model.services.iso_week import DAY_US, Week, week_of
from budget_model.units import US_PER_MS

MOST_WEEKS = 260
"""So many weeks are offered with the quiet ones among them: five years."""


@dataclass(frozen=True, slots=True)
class DayReview:
    """One day: its requests, and what is left of the week's error budget at its end.

    Without requests ``estimate`` has no value, ``burn`` is None and ``so_far`` is that of the day
    before. ``to_come`` says that such a day had not begun when the review was made.
    """

    day: date
    attainment: Attainment
    estimate: QuantileEstimate
    burn: float | None  # bad share over the allowed share
    so_far: ErrorBudget
    to_come: bool

    @property
    def bad(self) -> int:
        """Requests that were late or failed."""
        return self.attainment.late + self.attainment.failed


@dataclass(frozen=True, slots=True)
class LineMove:
    """One line of the budget beside the hop's bar in the week's tail and in that of the week before.

    A bar is None where no request recorded the hop: not seen is not 0. ``in_whole_ms`` says whether
    whole milliseconds, which add to the target and to the percentile, say enough.
    """

    line: Line
    bar: Bar | None
    before: Bar | None
    in_whole_ms: bool

    @property
    def hop(self) -> str:
        """The hop's name."""
        return self.line.name

    @property
    def line_ms(self) -> float:
        """What the budget gives the hop."""
        return self.line.us / US_PER_MS

    @property
    def bar_ms(self) -> float | None:
        """The hop's part of the week's percentile."""
        return None if self.bar is None else self.bar.ms

    @property
    def before_ms(self) -> float | None:
        """The hop's part of the percentile of the week before."""
        return None if self.before is None else self.before.ms

    @property
    def moved_ms(self) -> float | None:
        """How much longer the bar is than a week before; None unless both weeks recorded the hop."""
        if self.bar_ms is None or self.before_ms is None:
            return None
        return round(self.bar_ms - self.before_ms, 3)


@dataclass(frozen=True, slots=True)
class BudgetReview:
    """One approved budget in one week. ``check`` decides and holds the error budget."""

    view: BudgetView
    check: Check
    before: Check
    attainment: Attainment
    burn: float | None
    days: tuple[DayReview, ...]
    lines: tuple[LineMove, ...]
    last_seen_us: int | None  # start of the newest request of the segment, whatever its week

    @property
    def content(self) -> BudgetContent:
        """Target, percentile, segment and lines."""
        return self.view.budget.content

    @property
    def moved_most(self) -> LineMove | None:
        """The line whose bar changed most since the week before, in either direction."""
        moves = [line for line in self.lines if line.moved_ms]
        return max(moves, key=lambda line: abs(line.moved_ms or 0.0), default=None)

    @property
    def has_traffic(self) -> bool:
        """Whether either week had a request, so that its tail can be held against the lines."""
        return bool(self.check.e2e.n or self.before.e2e.n)

    @property
    def is_sure(self) -> bool:
        """Whether both weeks have enough requests for their percentile (grade A or B)."""
        return {self.check.observed.estimate.grade, self.before.observed.estimate.grade} <= {"A", "B"}


@dataclass(frozen=True, slots=True)
class WeeklyReview:
    """All approved budgets in one week, by name."""

    week: Week
    made_us: int
    budgets: tuple[BudgetReview, ...]

    @property
    def is_over(self) -> bool:
        """Whether the week had ended when the review was made."""
        return self.made_us >= self.week.until_us


def weekly_review(engine: Engine, budgets: Budgets, week: Week, now_us: int) -> WeeklyReview:
    """Hold every approved budget against the requests that started in ``week``."""
    views = approved(budgets, now_us)
    return WeeklyReview(week, now_us, tuple(review_budget(engine, view, week, now_us) for view in views))


def approved(budgets: Budgets, now_us: int, until_us: int | None = None) -> list[BudgetView]:
    """The version in force of every budget that has one, by name; ``until_us`` as for ``Budgets.get``."""
    views = [budgets.get(name, None, now_us, until_us) for name in budgets.names()]
    return [view for view in views if view.budget.state is BudgetState.APPROVED]


def review_budget(engine: Engine, view: BudgetView, week: Week, now_us: int) -> BudgetReview:
    """One budget in one week; the version need not be approved."""
    content = view.budget.content
    segment = segment_filter(content.segment)
    chosen = within(segment, week)
    check = check_budget(engine, view.budget, chosen)
    before = check_budget(engine, view.budget, within(segment, week.before))
    selection = select(engine.table(), chosen)
    seen = time_range(select(engine.table(), segment))
    return BudgetReview(
        view=view,
        check=check,
        before=before,
        attainment=attainment(selection, content.target_us),
        burn=burn_rate(check.e2e.bad, check.e2e.n, content.q),
        days=_days(selection, content, week, now_us),
        lines=_lines(check, before.observed),
        last_seen_us=seen[1] if seen else None,
    )


def within(segment: Filter, week: Week) -> Filter:
    """The requests of a segment that started in a week."""
    return segment.with_times(week.since_us, week.until_us)


def offered_weeks(engine: Engine, budgets: Budgets, now_us: int) -> tuple[Week, ...]:
    """Weeks from the newest with traffic, of any approved budget or at all, back to the oldest.

    Quiet weeks in between are among them, unless a wrong clock has spread the traffic over more than
    ``MOST_WEEKS``: then only weeks with traffic are.
    """
    segments = [segment_filter(view.budget.content.segment) for view in approved(budgets, now_us)]
    seen = {week for chosen in (EVERYTHING, *segments) for week in _weeks_seen(engine, chosen)}
    if not seen:
        return ()
    weeks, oldest = [max(seen)], min(seen)
    while weeks[-1] > oldest and len(weeks) <= MOST_WEEKS:
        weeks.append(weeks[-1].before)
    return tuple(weeks if len(weeks) <= MOST_WEEKS else sorted(seen, reverse=True))


def _weeks_seen(engine: Engine, chosen: Filter) -> set[Week]:
    selection = select(engine.table(), chosen)
    timed = selection.positions[selection.positions < selection.table.timed]
    days = np.unique(selection.table.numbers["start_us"][timed] // DAY_US)
    return {week_of(day * DAY_US) for day in days.tolist()}


def _days(selection: Selection, content: BudgetContent, week: Week, now_us: int) -> tuple[DayReview, ...]:
    parts = _cut(selection, week)
    inside = [attainment(part, content.target_us) for part in parts]
    n_so_far = accumulate(one.n for one in inside)
    bad_so_far = accumulate(one.late + one.failed for one in inside)
    return tuple(
        DayReview(
            day=day,
            attainment=one,
            estimate=_estimate(part, content.q),
            burn=burn_rate(one.late + one.failed, one.n, content.q),
            so_far=ErrorBudget(content.q, n, bad),
            to_come=not one.n and week.since_us + i * DAY_US > now_us,
        )
        for i, (day, part, one, n, bad) in enumerate(
            zip(week.days, parts, inside, n_so_far, bad_so_far, strict=True)
        )
    )


def _cut(selection: Selection, week: Week) -> Sequence[Selection]:
    """The week's selection by day; its rows all carry a time and are in time order."""
    starts = selection.table.numbers["start_us"][selection.positions]
    edges = [week.since_us + i * DAY_US for i in range(1, len(week.days))]
    pieces = np.split(selection.positions, np.searchsorted(starts, edges))
    return [Selection(selection.table, piece) for piece in pieces]


def _estimate(part: Selection, q: float) -> QuantileEstimate:
    return estimates(part, "e2e_us", (q,))[0] if part.sample("e2e_us").n else no_estimate(q)


def _lines(check: Check, before: Waterfall) -> tuple[LineMove, ...]:
    earlier = {bar.hop: bar for bar in before.bars}
    now = {bar.hop: bar for bar in check.observed.bars}
    content = check.budget.content
    whole = content.target_us >= LEAST_IN_WHOLE_MS * US_PER_MS and all(
        seen.in_whole_ms for seen in (check.observed, before) if seen.n
    )
    return tuple(
        LineMove(line, now.get(line.name), earlier.get(line.name), whole)
        for line in content.lines
        if line.name != HEADROOM
    )
