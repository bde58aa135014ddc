from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from budget_model.errors import FilterError
from budget_model.services import review_words as words
from budget_model.services.iso_week import Week, parse_week, week_of
from budget_model.services.review_charts import bad_columns, left_columns
from budget_model.services.review_html import review_html
from budget_model.services.review_json import review_json
from budget_model.services.weekly_review import BudgetReview, WeeklyReview, offered_weeks, weekly_review
from budget_model.services.workspace import Workspace
from tests.services.homes import home
from tests.services.review_homes import (
    DERIVED_US,
    MONDAY_US,
    NOW_US,
    Request,
    approve,
    day,
    import_requests,
)

W49 = parse_week("2026-W49")
Opened = Callable[[Sequence[Request]], Workspace]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """A workspace over a home with these requests."""
    started: list[Workspace] = []

    def start(requests: Sequence[Request]) -> Workspace:
        settings = home(tmp_path / "home", workers=1)
        if requests:
            import_requests(settings, tmp_path, requests)
        started.append(Workspace(settings))
        return started[-1]

    yield start
    for workspace in started:
        workspace.close()


def review(workspace: Workspace, week: Week = W49, now_us: int = NOW_US) -> WeeklyReview:
    return weekly_review(workspace.engine, workspace.budgets, week, now_us)


def only(found: WeeklyReview) -> BudgetReview:
    (one,) = found.budgets
    return one


@pytest.mark.parametrize(
    ("text", "monday"), [("2026-W49", "2026-11-30"), ("2026W01", "2025-12-29"), ("2020-w53", "2020-12-28")]
)
def test_an_iso_week_begins_on_its_monday(text: str, monday: str) -> None:
    week = parse_week(text)
    assert week.monday.isoformat() == monday
    assert parse_week(str(week)) == week


@pytest.mark.parametrize(
    "text",
    ["", "2026-49", "2026-W54", "2021-W53", "2026-W00", "last", "0001-W01", "1970-W53", "9999-W52"],
)
def test_what_is_no_week_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(FilterError, match="such as 2026-W49 of the years 1971 to 9998 is accepted"):
        parse_week(text)


@pytest.mark.parametrize("text", ["1971-W01", "9998-W52"])
def test_the_first_and_the_last_week_have_neighbours_and_days(opened: Opened, text: str) -> None:
    workspace = opened(day(0, 10))
    approve(workspace)
    week = parse_week(text)
    assert only(review(workspace, week, week.until_us)).check.e2e.n == 0


def test_the_last_microsecond_of_sunday_is_in_the_week_and_the_next_is_not() -> None:
    assert (W49.since_us, week_of(W49.until_us - 1), week_of(W49.until_us)) == (
        MONDAY_US,
        W49,
        parse_week("2026-W50"),
    )


def test_only_requests_of_the_week_count_and_the_week_before_stands_beside(opened: Opened) -> None:
    workspace = opened([*day(-1, 50, late=5), *day(0, 100, late=4, failed=2), *day(7, 30, late=30)])
    approve(workspace)
    one = only(review(workspace))
    assert (one.check.e2e.n, one.check.e2e.bad, one.check.observed.failed) == (100, 6, 2)
    assert (one.before.e2e.n, one.before.e2e.bad) == (50, 5)
    assert (one.attainment.inside, one.attainment.n) == (94, 100)
    assert one.check.error_budget.left == pytest.approx(0.4)
    assert one.burn == pytest.approx(0.6)


def test_the_days_add_to_the_week(opened: Opened) -> None:
    workspace = opened([*day(0, 40, late=1), *day(2, 60, failed=3), *day(6, 20, late=2)])
    approve(workspace)
    one = only(review(workspace))
    assert [(d.attainment.n, d.bad) for d in one.days] == [
        (40, 1), (0, 0), (60, 3), (0, 0), (0, 0), (0, 0), (20, 2)
    ]  # fmt: skip
    assert one.days[-1].so_far == one.check.error_budget
    assert [words.day_note(d) for d in one.days[:2]] == ["n = 40", "no requests"]
    # Wednesday: 1 - 4 / (0.1 x 100); the quiet days after it leave that as it is.
    assert [c.value for c in left_columns(one)[0]] == pytest.approx([75, 75, 60, 60, 60, 60, 50])
    assert [c.value for c in bad_columns(one)[0]] == [2.5, None, 5.0, None, None, None, 10.0]


def test_days_that_have_not_begun_are_to_come_and_not_quiet(opened: Opened) -> None:
    workspace = opened(day(0, 20))
    approve(workspace)
    found = review(workspace, now_us=MONDAY_US + 86_400_000_000 + 1)
    assert [words.day_note(d) for d in only(found).days] == ["n = 20", "no requests", *["to come"] * 5]
    assert [c.value for c in left_columns(only(found))[0]] == [100.0, 100.0, *[None] * 5]
    assert "the week is not over" in words.span(found)


def test_what_moved_most_is_the_bar_that_changed_most(opened: Opened) -> None:
    workspace = opened([*day(-3, 400, decode_ms=200), *day(1, 400, decode_ms=320)])
    approve(workspace)
    one = only(review(workspace))
    assert one.moved_most is not None
    assert (one.moved_most.hop, one.moved_most.moved_ms) == ("decode", 120.0)
    assert words.moved_words(one) == "decode moved most: +120 ms, from 200 ms to 320 ms."


def test_a_move_that_few_requests_show_may_be_chance(opened: Opened) -> None:
    workspace = opened([*day(-3, 10, decode_ms=200), *day(1, 10, decode_ms=320)])
    approve(workspace)
    assert "Too few requests to tell this from chance." in words.moved_words(only(review(workspace)))


def test_a_hop_that_one_week_did_not_record_did_not_move(opened: Opened) -> None:
    before = [Request(-86_400 * 2 + i, None, 300) for i in range(50)]
    workspace = opened([*before, *day(0, 50)])
    approve(workspace)
    prefill, decode = only(review(workspace)).lines
    assert (prefill.before_ms, prefill.moved_ms, words.line_moved(prefill)) == (None, None, "not known")
    assert decode.moved_ms == -100.0


def test_a_quiet_week_says_what_to_do_next_and_leaves_the_budget_untouched(opened: Opened) -> None:
    workspace = opened(day(0, 20))
    approve(workspace)
    found = review(workspace, parse_week("2026-W40"))
    one = only(found)
    assert one.check.error_budget.left is None
    note = words.notes(found, one)[0]
    assert "No requests in this week" in note
    assert "30 Nov 2026" in note
    assert "no verdict" in words.verdict(one)
    assert "untouched" in review_html(found)


def test_without_an_approved_budget_the_review_says_how_to_get_one(opened: Opened) -> None:
    found = review(opened(day(0, 20)))
    assert found.budgets == ()
    assert "tailbudget allocate" in review_html(found)
    assert review_json(found)["next"] == words.NO_BUDGET


def test_a_version_approved_after_the_week_is_told(opened: Opened) -> None:
    workspace = opened(day(0, 20))
    approve(workspace, at_us=NOW_US - 1)
    found = review(workspace)
    assert any("approved after the week" in note for note in words.notes(found, only(found)))


def test_a_stale_budget_says_why_in_the_document(opened: Opened) -> None:
    workspace = opened(day(0, 20))
    approve(workspace)
    later = DERIVED_US + 200 * 86_400_000_000
    found = review(workspace, now_us=later)
    assert only(found).view.stale
    assert "Stale: " in review_html(found)


def test_weeks_from_the_newest_traffic_to_the_oldest_are_offered(opened: Opened) -> None:
    workspace = opened([*day(-8, 5), *day(9, 5)])
    weeks = offered_weeks(workspace.engine, workspace.budgets, NOW_US)
    assert [str(week) for week in weeks] == ["2026-W50", "2026-W49", "2026-W48", "2026-W47"]


def test_one_request_with_a_wrong_clock_does_not_hide_the_weeks_with_traffic(opened: Opened) -> None:
    workspace = opened([*day(0, 5), *day(-8, 5), Request(86_400 * 365 * 40, 100, 200)])
    weeks = offered_weeks(workspace.engine, workspace.budgets, NOW_US)
    assert [str(week) for week in weeks] == ["2066-W46", "2026-W49", "2026-W47"]


class Outline(HTMLParser):
    """Tags and attributes that could fetch or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


HOSTILE = '<img src=x onerror="alert(1)">&'


def test_the_document_fetches_and_runs_nothing_and_labels_are_text(opened: Opened) -> None:
    workspace = opened(day(0, 20, late=3))
    approve(workspace, HOSTILE, segment=(("tenant", (HOSTILE, None)),))
    approve(workspace, "chat")
    document = review_html(review(workspace))
    outline = Outline()
    outline.feed(document)
    assert set(outline.tags).isdisjoint({"img", "script", "link", "iframe", "object", "base", "form", "a"})
    assert set(outline.attributes).isdisjoint({"src", "href", "onerror", "style", "action"})
    assert "http" not in document
    assert "url(" not in document
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;" in document
    assert "@page { size: A4" in document
