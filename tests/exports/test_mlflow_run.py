"""What a run published to MLflow holds, and that the same content is the same run."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from budget_model.domain.budget import Budget
from budget_model.exports.mlflow_run import (
    LONGEST_NAME,
    LONGEST_VALUE,
    Artifact,
    RunKind,
    RunRecord,
    budget_record,
    run_record,
)
from tests.exports.budgets import HOSTILE, budget


def record(**changes: float | None) -> RunRecord:
    return run_record(
        RunKind.REVIEW,
        "week 49",
        params={"weeks": 1},
        metrics={"n": 10, **changes},
        tags={"tailbudget.budget": "chat"},
        artifacts=(Artifact("review.html", "<p>"),),
    )


def test_a_budget_says_what_was_promised_line_by_line() -> None:
    found = budget_record(budget())
    assert found.kind == "budget"
    assert found.params["target_ms"] == "5000"
    assert found.params["percentile"] == "99"
    assert found.params["headroom"] == "0.1"
    assert found.tags["tailbudget.segment"] == "workload: chat; tenant: acme"
    lines = [ms for name, ms in found.metrics.items() if name.startswith("line_ms.")]
    assert sum(lines) == pytest.approx(5000)
    assert found.metrics["evidence_n"] == 10_007


def test_what_is_unknown_or_no_number_is_no_metric() -> None:
    found = record(a=None, b=math.nan, c=math.inf, d=0.0)
    assert found.metrics == {"n": 10.0, "d": 0.0}


def test_the_same_content_has_the_same_identity_and_any_other_another() -> None:
    one = record(left=0.5)
    assert one.identity == record(left=0.5).identity
    others = [
        record(left=0.25),
        replace(one, kind=RunKind.CHECK),
        replace(one, artifacts=(Artifact("review.html", "<p>."),)),
        replace(one, tags={}),
    ]
    assert len({one.identity, *(other.identity for other in others)}) == 5
    assert re.fullmatch(r"[0-9a-f]{64}", one.identity)


def test_a_next_step_of_a_budget_is_a_new_identity() -> None:
    first = budget()
    later = replace(first, steps=(*first.steps, replace(first.steps[0], who="carol")))
    assert budget_record(first).identity != budget_record(later).identity


def test_long_values_and_control_characters_are_made_fit_for_any_database() -> None:
    found = budget_record(budget("a\0b\n" + "x" * 9000))
    name = found.tags["tailbudget.budget"]
    assert (len(found.name), len(name)) == (LONGEST_NAME, LONGEST_VALUE)
    assert name.startswith("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}x")


@pytest.mark.parametrize("name", [HOSTILE, "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_the_page_is_text_and_asks_for_nothing_from_anywhere(name: str) -> None:
    page = artifact(budget(name, tenants=("<script>", None)), "budget.html")
    seen = Seen()
    seen.feed(page)
    assert seen.tags == {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "p",
        "table",
        "tr",
        "th",
        "td",
    }
    assert seen.attributes == {"lang", "charset"}
    assert name.split("\n")[0] in "".join(seen.text)
    assert "not recorded" in "".join(seen.text)


def test_the_json_is_the_whole_budget() -> None:
    found = json.loads(artifact(budget(), "budget.json"))
    assert (found["name"], found["version"]) == ("chat 5s", 3)
    assert sum(line["us"] for line in found["content"]["lines"]) == 5_000_000


def artifact(one: Budget, path: str) -> str:
    (content,) = [found.content for found in budget_record(one).artifacts if found.path == path]
    return content


class Seen(HTMLParser):
    """What a page consists of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
