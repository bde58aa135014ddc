from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from budget_model.domain.budget import BudgetState
from budget_model.services.budgets import By
from budget_model.services.workspace import Workspace
from budget_model.settings import load_settings
from tests.app.conftest import Open
from tests.app.homes import HOSTILE, import_into, request_log
from tests.app.test_pages import words

NOW_US = 1_796_083_200_000_000


@pytest.fixture
def log_home(home: Path, tmp_path: Path) -> Path:
    """390 ok requests of 1000, 1001, .. ms, 10 failed: p95 is the highest percentile with a budget."""
    import_into(home, request_log(tmp_path / "log.jsonl", ("acme", "globex"), each=200))
    return home


def save(at: AppTest, name: str = "chat", who: str = "ada") -> AppTest:
    at.text_input(key="save-name").set_value(name)
    at.text_input(key="save-who").set_value(who)
    at.text_input(key="save-why").set_value("for the launch")
    return at.button(key="save-button").click().run()


def on_page(at: AppTest, page: str, **query: str) -> AppTest:
    """The same visitor follows a link to another page."""
    at.switch_page(f"pages/{page}.py")
    at.query_params.clear()
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


@pytest.mark.parametrize("page", ["allocator", "budgets"])
def test_an_empty_home_is_welcomed(open_page: Open, page: str) -> None:
    at = open_page(page)
    assert not at.exception
    assert "Load the demo" in [button.label for button in at.button]


def test_the_page_opens_with_a_question_that_has_an_answer(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator")
    assert not at.exception
    assert at.segmented_control(key="allocator-q").value == 0.95
    assert at.number_input(key="target-number").value == 1.2
    assert "of today's time." in words(at)
    assert "prefill" in words(at)


def test_a_feasible_target_says_how_much_of_the_traffic_is_inside(open_page: Open, log_home: Path) -> None:
    shown = words(open_page("allocator", target="1.1", q="0.95", headroom="0"))
    # 101 of each tenant's 200 requests are within 1100 ms, and 2 of those failed.
    assert "198 of 400 · 192 late, 10 failed" in shown
    assert "short of the 95 % asked" in shown


def test_too_few_requests_are_refused_without_a_budget(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", tenant="acme", q="0.999")
    shown = words(at)
    assert "finished requests cannot carry a p99.9 budget" in shown.replace("\\", "")
    assert "No budget is shown" in shown
    assert "There is no budget to save" in shown
    at.button(key="take-percentile").click().run()
    assert at.query_params["q"] == "0.95"
    assert "No budget is shown" not in words(at)


def test_too_many_failures_are_refused_without_a_budget(open_page: Open, log_home: Path) -> None:
    shown = words(open_page("allocator", q="0.99"))
    assert "10 of 400 requests failed" in shown.replace("\\", "")
    assert "No budget is shown" in shown


def test_an_infeasible_target_says_by_how_much_and_which_is_feasible(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", target="0.1", q="0.95")
    shown = words(at)
    assert "Not feasible: overhead alone exceeds the target by" in shown.replace("\\", "")
    assert "There is no budget to save" in shown
    at.button(key="take-target").click().run()
    assert float(at.query_params["target"]) > 0.1
    assert "Not feasible" not in words(at)


def test_every_control_writes_the_whole_question_into_the_address(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", tenant="acme")
    at.number_input(key="target-number").set_value(1.5).run()
    at.slider(key="target-slider").set_value(1.4).run()
    at.segmented_control(key="allocator-q").set_value(0.9).run()
    at.number_input(key="headroom").set_value(5.0).run()
    at.selectbox(key="strategy").set_value("proportional").run()
    at.number_input(key="lock-queue").set_value(60.0).run()
    names = ("tenant", "target", "q", "headroom", "strategy", "locks")
    assert {name: at.query_params[name] for name in names} == {
        "tenant": "acme",
        "target": "1.4",
        "q": "0.9",
        "headroom": "0.05",
        "strategy": "proportional",
        "locks": "queue:60",
    }
    assert not at.exception


def test_the_recommended_headroom_is_one_click_away(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", target="1.5", q="0.95")
    label = at.button(key="take-headroom").label
    at.button(key="take-headroom").click().run()
    percent = at.number_input(key="headroom").value
    assert f"{percent:g} %" in label
    assert at.button(key="take-headroom").disabled


@pytest.mark.parametrize("strategy", ["equal-exceedance", "joint-coverage", "cost-minimal", "token-need"])
def test_every_strategy_gives_lines_or_says_why_not(open_page: Open, log_home: Path, strategy: str) -> None:
    at = open_page("allocator", target="3", q="0.95", strategy=strategy)
    assert not at.exception
    shown = words(at)
    assert "of today's time." in shown or "answer length" in shown


def test_what_an_address_cannot_mean_is_said(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", target="soon", strategy="<b>best</b>", locks="moon:5")
    assert not at.exception
    assert words(at).count("The address cannot be used in part.") == 3


def test_changes_are_tried_one_by_one_and_together(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", q="0.95", target="1.5", rank="1", **{"try": "1,2"})
    assert not at.exception
    shown = words(at)
    assert "The p95 goes from" in shown
    assert "Gim et al." in shown
    assert shown.index("Speculative decoding<details>") < shown.index("Closer region<details>")


def test_a_number_of_a_change_is_set_kept_in_the_address_and_taken_back(
    open_page: Open, log_home: Path
) -> None:
    at = open_page("allocator", q="0.95", target="1.5", beside="whatif", **{"try": "9,1"})
    before = next(line for line in words(at).split("\n") if "The p95 goes from" in line)
    at.number_input(key="tactic-1-hit_share").set_value(80.0).run()
    assert not at.exception
    assert at.query_params["try"] == "9:0.5,1:0.8:8"
    assert before not in words(at)
    at.button(key="published-1").click().run()
    assert at.query_params["try"] == "9:0.5,1:0.5:8"
    assert before in words(at)


def test_numbers_that_no_change_can_have_are_said_and_the_rest_is_tried(
    open_page: Open, log_home: Path
) -> None:
    at = open_page("allocator", q="0.95", target="1.5", **{"try": "9:2,1:0.5:8"})
    assert not at.exception
    assert "is not a number from 0 to 1" in words(at).replace("\\", "")
    assert at.multiselect(key="try").value == ["Prompt caching"]


def test_a_chosen_trade_of_prefill_against_decode_moves_the_lines(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", q="0.95", target="1.5", headroom="0")
    even = words(at)
    at.slider(key="prefill-share").set_value(60).run()
    assert not at.exception
    assert at.query_params["prefill"] == "0.6"
    assert "Prefill at 60 % of today's time leaves decode" in words(at)
    at.button(key="point-undo").click().run()
    assert "prefill" not in at.query_params
    assert words(at) == even


@pytest.mark.parametrize(
    ("panel", "says"),
    [
        ("compute", "wrong: they do not add"),
        ("whatif", "What would buy the most here"),
        ("limits", "each hop's own limit"),
    ],
)
def test_what_stands_beside_the_budget_is_chosen_and_kept_in_the_address(
    open_page: Open, log_home: Path, panel: str, says: str
) -> None:
    at = open_page("allocator", q="0.95", target="1.5", beside="limits" if panel != "limits" else "compute")
    at.segmented_control(key="beside").set_value(panel).run()
    assert not at.exception
    assert at.query_params["beside"] == panel
    assert says in words(at)
    assert says in words(on_page(at, "allocator", q="0.95", target="1.5", beside=panel))


def test_a_draft_is_proposed_and_approved_by_somebody_else(open_page: Open, log_home: Path) -> None:
    at = save(open_page("allocator", target="1.5", q="0.95"))
    assert "Saved as version 1 of chat" in words(at)
    at = on_page(at, "budgets", budget="chat", version="1")
    at.text_input(key="step-who").set_value("ada")
    at.button(key="step-proposed").click().run()
    at.button(key="step-approved").click().run()
    assert "somebody else must approve it" in words(at).replace("\\", "")
    at.text_input(key="step-who").set_value("grace")
    at.text_input(key="step-why").set_value("checked")
    at.button(key="step-approved").click().run()
    assert not at.exception
    assert "<b>approved</b> by grace" in words(at)
    assert "in force" in words(at)


def test_who_saved_in_between_is_told_of_and_nothing_typed_is_lost(open_page: Open, log_home: Path) -> None:
    at = save(open_page("allocator", target="1.5", q="0.95"))
    other = save(open_page("allocator", target="1.6", q="0.95"), who="grace")
    said = words(other).replace("\\", "")
    assert "ada saved version 1 of 'chat' while you worked from version none" in said
    assert other.text_input(key="save-why").value == "for the launch"
    other.button(key="save-on-top").click().run()
    assert "Saved as version 2 of chat" in words(other)
    assert "Not saved" in words(save(at, who="ada"))


def test_a_budget_needs_a_name_and_somebody(open_page: Open, log_home: Path) -> None:
    at = open_page("allocator", target="1.5", q="0.95")
    assert "a budget needs a name" in words(save(at, name=" "))
    assert "a name is needed" in words(save(at, who=" "))


def test_names_and_reasons_are_text_wherever_they_are_shown(open_page: Open, log_home: Path) -> None:
    workspace = Workspace(load_settings(log_home, {"TAILBUDGET_WORKERS": "1"}))
    at = save(open_page("allocator", target="1.5", q="0.95", tenant="acme"), name="plain")
    shelf = workspace.budgets
    content = shelf.get("plain", 1, NOW_US).budget.content
    for label in HOSTILE:
        shelf._catalog.save_draft(label, content, By(label, NOW_US, label), 0)
        shelf.move(label, 1, BudgetState.PROPOSED, By(label, NOW_US, label))
    workspace.close()
    for label in HOSTILE:
        at = on_page(at, "budgets", budget=label)
        assert not at.exception
        in_html = "".join(element.proto.body for element in at.get("html"))
        assert "<script>alert" not in in_html
        assert 'href="javascript' not in in_html
        in_markdown = "".join(e.value for kind in (at.markdown, at.caption, at.warning) for e in kind)
        assert not [mark for mark in ("<script>alert", "](javascript", "**bold**") if mark in in_markdown]


def test_the_budgets_page_shows_a_version_its_check_and_the_log(open_page: Open, log_home: Path) -> None:
    at = save(open_page("allocator", target="1.5", q="0.95", locks="queue:60"))
    at = save(at)
    shown = words(on_page(at, "budgets", budget="chat", version="1"))
    assert "chat · version 1" in shown
    assert "queue</span> <small>locked</small>" in shown
    assert "<b>PASS</b>: the budget is kept" in shown
    assert "versions: " in shown
    assert "budget chat version 2" in shown
    assert "They promise and assume the same." in shown


def test_a_budget_that_does_not_exist_is_one_sentence(open_page: Open, log_home: Path) -> None:
    at = save(open_page("allocator", target="1.5", q="0.95"))
    shown = words(on_page(at, "budgets", budget="nobody")).replace("\\", "")
    assert "there is no budget 'nobody'" in shown


def test_a_stale_budget_says_why_in_the_list_and_on_its_own(
    open_page: Open, log_home: Path, tmp_path: Path
) -> None:
    at = save(open_page("allocator", target="1.5", q="0.95"))
    workspace = Workspace(load_settings(log_home, {"TAILBUDGET_WORKERS": "1"}))
    content = workspace.budgets.get("chat", 1, NOW_US).budget.content
    aged = replace(content, evidence=replace(content.evidence, derived_us=0))
    workspace.budgets._catalog.save_draft("old", aged, By("ada", 0, ""), 0)
    workspace.close()
    shown = words(on_page(at, "budgets", budget="old"))
    assert shown.count("It was derived") == 2
