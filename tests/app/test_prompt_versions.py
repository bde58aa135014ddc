from __future__ import annotations

import csv
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from budget_model.settings import load_settings
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog, StoredPrompt
from tests.app.conftest import Open
from tests.app.homes import HOSTILE, import_into
from tests.app.test_pages import words

MARKUP = HOSTILE[0]


@pytest.fixture
def prompt_home(home: Path, tmp_path: Path) -> Path:
    """Two versions of one prompt with texts, and one prompt without any whose name is markup."""
    with (tmp_path / "log.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["request_id", "timestamp", "prompt_name", "prompt_version", "e2e_ms", "ttft_ms"])
        for i in range(60):
            name, version = (("chat", "1"), ("chat", "2"), (MARKUP, HOSTILE[1]))[i % 3]
            rows.writerow([f"r{i}", f"2026-12-01T00:{i:02d}:00Z", name, version, 1000 + i, 100 + i])
    import_into(home, tmp_path / "log.csv")
    ledger = Ledger(load_settings(home, {}))
    texts = {"1": f"Be brief.\n{MARKUP}", "2": f"Be kind.\n{MARKUP}\n{HOSTILE[2]}"}
    PromptCatalog(ledger).put(
        [
            StoredPrompt(f"http://{MARKUP}", "chat", version, text, len(text), False, None, "d", 1)
            for version, text in texts.items()
        ]
    )
    ledger.close()
    return home


def texts(at: AppTest) -> str:
    """What is drawn of a prompt's text."""
    return "".join(
        element.proto.body for element in at.get("html") if 'class="tb-text"' in element.proto.body
    )


def test_split_by_prompt_the_page_lists_each_version(open_page: Open, prompt_home: Path) -> None:
    at = open_page("hops", by="prompt", q="0.5")
    assert not at.exception
    shown = words(at)
    assert "Prompt versions" in shown
    assert "Time to first token p50" in shown
    assert "beside 1" in shown
    assert "not known" in shown
    assert texts(at) == ""


def test_no_versions_are_listed_where_the_split_is_another(open_page: Open, prompt_home: Path) -> None:
    assert "Prompt versions" not in words(open_page("hops"))


def test_a_link_to_a_version_shows_what_its_text_changed(open_page: Open, prompt_home: Path) -> None:
    at = open_page("hops", by="prompt", version="chat@2")
    assert not at.exception
    assert "Version 2 beside 1: 1 word removed" in words(at)
    assert "<mark>kind</mark>" in texts(at)
    assert "<mark>brief</mark>" in texts(at)


def test_another_version_chosen_is_in_the_address(open_page: Open, prompt_home: Path) -> None:
    at = open_page("hops", by="prompt", version="chat@2")
    at.selectbox(key="prompt-version").select("chat@1").run()
    assert at.query_params["version"] == "chat@1"
    assert "It is the first version known" in words(at)
    assert "Be brief." in texts(at)


def test_a_version_whose_text_is_not_known_says_what_to_do(open_page: Open, prompt_home: Path) -> None:
    at = open_page("hops", by="prompt", version=f"{MARKUP}@{HOSTILE[1]}")
    assert not at.exception
    assert "is not known" in words(at)
    assert texts(at) == ""


@pytest.mark.parametrize("version", ["nobody@1", MARKUP, "", "chat"])
def test_a_version_that_is_not_there_opens_nothing(open_page: Open, prompt_home: Path, version: str) -> None:
    at = open_page("hops", by="prompt", version=version)
    assert not at.exception
    assert texts(at) == ""


@pytest.mark.parametrize("version", ["chat@2", f"{MARKUP}@{HOSTILE[1]}"])
def test_names_and_texts_of_prompts_are_text(open_page: Open, prompt_home: Path, version: str) -> None:
    at = open_page("hops", by="prompt", version=version)
    assert not at.exception
    in_html = "".join(element.proto.body for element in at.get("html"))
    assert not [mark for mark in ("<script>alert", 'href="javascript') if mark in in_html]
    in_markdown = "".join(element.value for kind in (at.markdown, at.caption) for element in kind)
    assert not [mark for mark in ("<script>alert", "](javascript", "**bold**") if mark in in_markdown]
