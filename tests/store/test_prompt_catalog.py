from __future__ import annotations

from dataclasses import replace

import pytest

from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog, StoredPrompt

NOW_US = 1_796_083_200_000_000
SERVER, OTHER = "http://mlflow", "sqlite:///mlflow.db"


@pytest.fixture
def catalog(ledger: Ledger) -> PromptCatalog:
    return PromptCatalog(ledger)


def stored(version: str, name: str = "it's 🙂", **changes: object) -> StoredPrompt:
    prompt = StoredPrompt(SERVER, name, version, f"Hello\n{version}", 7, False, None, "a" * 32, NOW_US)
    return replace(prompt, **changes)  # type: ignore[arg-type]


def test_what_is_put_is_what_is_read_and_a_later_word_replaces_the_earlier(catalog: PromptCatalog) -> None:
    catalog.put([stored("1"), stored("2", text=None, chars=200_000), stored("1", name="other")])
    catalog.put([stored("1", digest="b" * 32, created_ms=5, is_chat=True)])
    assert catalog.readings("it's 🙂", "1") == [stored("1", digest="b" * 32, created_ms=5, is_chat=True)]
    assert catalog.readings("it's 🙂", "2") == [stored("2", text=None, chars=200_000)]
    assert catalog.readings("it's 🙂", "3") == []
    assert catalog.digests(SERVER, ["it's 🙂"]) == {("it's 🙂", "1"): "b" * 32, ("it's 🙂", "2"): "a" * 32}


def test_each_source_has_a_word_of_its_own_and_the_latest_comes_first(catalog: PromptCatalog) -> None:
    catalog.put([stored("1")])
    catalog.put([stored("1", source=OTHER, text="else", noticed_us=NOW_US + 1)])
    assert [one.source for one in catalog.readings("it's 🙂", "1")] == [OTHER, SERVER]
    assert catalog.digests(OTHER, ["it's 🙂", "none"]) == {("it's 🙂", "1"): "a" * 32}
    assert catalog.versions(["it's 🙂", "none"]) == {"it's 🙂": ["1"]}


def test_thousands_of_versions_are_written_and_found_again(catalog: PromptCatalog) -> None:
    catalog.put([stored(str(number), name=f"p{number}") for number in range(1200)])
    names = [f"p{number}" for number in range(1200)]
    assert len(catalog.versions(names)) == len(catalog.digests(SERVER, names)) == 1200
