"""The weekly review in words: the page, the printed document and the terminal say the same."""

from __future__ import annotations

from datetime import UTC, date, datetime

from budget_model.domain.budget import SegmentValues
from budget_model.queries.results import Interval, QuantileEstimate
from budget_model.services.attainment import Attainment
from budget_model.services.budget_formula import left_words
from budget_model.services.budget_words import MEANING, verdict_words
from budget_model.services.weekly_review import BudgetReview, DayReview, LineMove, WeeklyReview

NOT_RECORDED = "not recorded"
NO_REQUESTS = "no requests"
NO_BUDGET = (
    "No budget is approved, so there is nothing to review. Divide a target in the Allocator or with "
    "tailbudget allocate --target 5s --save NAME, propose it, and have somebody else approve it."
)
BARS = "Bars: wide is this week, thin is the week before, the upright mark is the line."
DIMENSION_NAMES = {"bucket": "prompt length", "load_test": "load test"}


def span(review: WeeklyReview) -> str:
    """The days of the week, and whether it is over."""
    first, last = review.week.days[0], review.week.days[-1]
    words = f"Monday {_day(first)} to Sunday {_day(last)}, UTC"
    return words if review.is_over else f"{words}; the week is not over, as of {moment(review.made_us)}"


def moment(us: int) -> str:
    """A UTC time to the minute: ``4 Dec 2026 22:30 UTC``."""
    at = datetime.fromtimestamp(us / 1e6, UTC)
    return f"{at.day} {at:%b %Y %H:%M} UTC"


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def day_label(day: date) -> str:
    """``Mon 30 Nov``."""
    return f"{day:%a} {day.day} {day:%b}"


def ms(value: float | None) -> str:
    """Milliseconds: whole from 10 ms on, else to the microsecond."""
    if value is None:
        return NOT_RECORDED
    return (f"{value:,.0f} ms" if abs(value) >= 10 or value == 0 else f"{value:.3f} ms").replace("-", "−")


def moved(value: float | None) -> str:
    """A difference of times with its sign."""
    if value is None:
        return "not known"
    said = f"{value:,} ms".replace("-", "−") if isinstance(value, int) else ms(value)
    return f"+{said}" if value > 0 else said


def line(move: LineMove) -> str:
    """What the line gives; the printed lines add to the target."""
    return _printed(move.line_ms, move.line.printed_ms, move)


def bar(move: LineMove) -> str:
    """The hop's bar of the week; the printed bars add to the percentile."""
    return NOT_RECORDED if move.bar is None else _printed(move.bar.ms, move.bar.printed_ms, move)


def bar_before(move: LineMove) -> str:
    """The hop's bar of the week before."""
    return NOT_RECORDED if move.before is None else _printed(move.before.ms, move.before.printed_ms, move)


def line_moved(move: LineMove) -> str:
    """The printed bars' difference, so that the row adds as it is read."""
    if move.bar is None or move.before is None:
        return moved(None)
    whole = move.bar.printed_ms - move.before.printed_ms
    return moved(whole if move.in_whole_ms else move.moved_ms)


def _printed(exact_ms: float, whole_ms: int, move: LineMove) -> str:
    if move.in_whole_ms and (whole_ms or not exact_ms):
        return f"{whole_ms:,} ms".replace("-", "−")
    return ms(exact_ms)


def share(value: float | None) -> str:
    """A share of one as a percentage, to a hundredth."""
    return NO_REQUESTS if value is None else f"{100 * value:.2f} %"


def percentile(q: float) -> str:
    """``p99.9``."""
    return f"p{100 * q:.6g}"


def target(one: BudgetReview) -> str:
    """``5,000 ms at p99``."""
    return f"{one.content.target_us / 1000:,g} ms at {percentile(one.content.q)}"


def segment(values: SegmentValues) -> str:
    """The traffic a budget applies to; the values are text from data, not yet escaped."""
    if not values:
        return "all production traffic"
    return ", ".join(
        f"{DIMENSION_NAMES.get(name, name)} {' or '.join(NOT_RECORDED if v is None else v for v in labels)}"
        for name, labels in values
    )


def observed(value: QuantileEstimate) -> str:
    """A percentile with its interval and n, or why there is none."""
    if value.value_ms is None:
        return f"no ok requests, n = {value.n:,}"
    n = f"n = {value.n:,}"
    if value.n_eff < value.n:
        n += f", which cluster in time and count as {value.n_eff:,}"
    return f"{ms(value.value_ms)} (95 % interval {_interval(value.interval)}; {n})"


def _interval(bounds: Interval) -> str:
    if bounds.low_ms is None and bounds.high_ms is None:
        return "not estimable: too few requests"
    low = "not estimable" if bounds.low_ms is None else ms(bounds.low_ms)
    return f"{low} to {'not estimable' if bounds.high_ms is None else ms(bounds.high_ms)}"


def attained(found: Attainment) -> str:
    """The share inside the target with its interval and n; failures are outside."""
    if found.share is None:
        return NO_REQUESTS
    return (
        f"{share(found.share)} (95 % interval {share(found.low)} to {share(found.high)}, "
        f"{found.inside:,} of {found.n:,})"
    )


def verdict(one: BudgetReview) -> str:
    """The verdict and what it means."""
    if not one.check.e2e.n:
        return "no verdict: no requests"
    return f"{one.check.decision}: {MEANING[one.check.decision]}"


def burn(value: float | None) -> str:
    """A burn rate: 1 spends exactly what is allowed."""
    return NO_REQUESTS if value is None else f"{value:,.2f} times what is allowed"


def facts(one: BudgetReview) -> tuple[tuple[str, str], ...]:
    """Name and value of what is said about a budget's week, in reading order."""
    e2e = one.check.e2e
    return (
        ("Applies to", segment(one.content.segment)),
        ("Target", target(one)),
        (f"End to end {percentile(one.content.q)}", observed(one.check.observed.estimate)),
        ("Inside the target", attained(one.attainment)),
        ("Bad requests", f"{e2e.bad:,} of {e2e.n:,} (failed: {one.check.observed.failed:,})"),
        ("Verdict", f"{verdict(one)}. {verdict_words(e2e)}" if e2e.n else verdict(one)),
        ("Error budget", left_words(one.check.error_budget)),
        ("Burn rate", burn(one.burn)),
        ("The week before", before(one)),
    )


def before(one: BudgetReview) -> str:
    """The same week before, in one line."""
    check = one.before
    if not check.e2e.n:
        return NO_REQUESTS
    left = left_words(check.error_budget)
    return f"{percentile(one.content.q)} {observed(check.observed.estimate)}; error budget {left}"


def day_note(day: DayReview) -> str:
    """How many requests a day had."""
    if day.attainment.n:
        return f"n = {day.attainment.n:,}"
    return "to come" if day.to_come else NO_REQUESTS


def moved_words(one: BudgetReview) -> str:
    """What moved most since the week before, and whether there is enough to say so."""
    most = one.moved_most
    if not one.before.e2e.n:
        return "The week before had no requests, so nothing can be said to have moved."
    if most is None:
        return "No line moved that both weeks recorded."
    words = f"{most.hop} moved most: {line_moved(most)}, from {bar_before(most)} to {bar(most)}."
    return words if one.is_sure else f"{words} Too few requests to tell this from chance."


def over_line(line: LineMove) -> str:
    """Whether the hop's bar is inside its line."""
    if line.bar_ms is None:
        return NOT_RECORDED
    return "over its line" if line.bar_ms > line.line_ms else "inside"


def notes(review: WeeklyReview, one: BudgetReview) -> tuple[str, ...]:
    """What a reader has to know beside the figures: no traffic, late approval, staleness."""
    stale = [f"Stale: {reason}" for reason in one.view.stale]
    return (*_quiet(review, one), *_late_approval(review, one), *stale)


def _quiet(review: WeeklyReview, one: BudgetReview) -> tuple[str, ...]:
    if one.check.e2e.n:
        return ()
    last = _last_seen(review, one.last_seen_us)
    return (
        f"No requests in this week, so its error budget is unchanged. {last} "
        "Import that week's traces, or review another week.",
    )


def _last_seen(review: WeeklyReview, seen_us: int | None) -> str:
    if seen_us is None:
        return f"No request of this segment up to {moment(review.made_us)} is stored."
    newest = "Before it, the newest" if seen_us < review.week.since_us else "The newest"
    return f"{newest} one of this segment started at {moment(seen_us)}."


def _late_approval(review: WeeklyReview, one: BudgetReview) -> tuple[str, ...]:
    step = one.view.budget.steps[-1]
    if step.at_us < review.week.until_us:
        return ()
    return (f"This version was approved after the week, at {moment(step.at_us)}.",)
