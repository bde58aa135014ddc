from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from budget_model.domain.text_difference import Change
from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.services.figures import Figures
from budget_model.services.prompt_text import readable
from budget_model.services.prompt_versions import PromptVersions, TextChange
from budget_model.settings import load_settings
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog, StoredPrompt
from tests.queries.homes import Store, request


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[PromptCatalog]:
    ledger = Ledger(load_settings(tmp_path / "home", {}))
    yield PromptCatalog(ledger)
    ledger.close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    versions = [("chat", "9"), ("chat", "10"), ("chat", "10"), ("bare", None)]
    found.add(
        [
            request(f"r{n}", 5, prompt_name=name, prompt_version=version, tenant=f"t{n}")
            for n, (name, version) in enumerate(versions)
        ]
    )
    return found


def stored(
    version: str, text: str | None, source: str = "http://mlflow", noticed_us: int = 1
) -> StoredPrompt:
    return StoredPrompt(
        source, "chat", version, text, len(text or "x" * 123_456), False, None, "d", noticed_us
    )


def change(catalog: PromptCatalog, store: Store, version: str | None, name: str = "chat") -> TextChange:
    return PromptVersions(catalog, store.engine()).change(name, version)


def lines(found: TextChange) -> list[tuple[Change, str]]:
    assert found.difference is not None
    return [(line.change, line.text) for line in found.difference.lines]


def test_a_version_is_shown_beside_the_one_before_it_in_the_registry(
    catalog: PromptCatalog, store: Store
) -> None:
    catalog.put([stored("8", "Be brief."), stored("9", "Be kind."), stored("10", "Be kind.\nAlways.")])
    found = change(catalog, store, "10")
    assert (found.before, found.remarks, found.text) == ("9", (), "Be kind.\nAlways.")
    assert lines(found) == [(Change.SAME, "Be kind."), (Change.ADDED, "Always.")]
    assert change(catalog, store, "9").before == "8"


def test_the_version_before_does_not_depend_on_the_filter(catalog: PromptCatalog, store: Store) -> None:
    figures = Figures(store.engine()).prompts(Filter(tenant=("t1",)), 0.5)
    table = PromptVersions(catalog, store.engine()).table(figures)
    assert [(row.figures.label, row.before, row.has_text) for row in table.rows] == [("chat@10", "9", False)]
    assert table.unused == 1


def test_the_table_counts_versions_without_requests_and_says_which_texts_are_known(
    catalog: PromptCatalog, store: Store
) -> None:
    catalog.put([stored("9", "a"), stored("11", "b"), replace(stored("1", "c"), name="nobody's")])
    figures = Figures(store.engine()).prompts(EVERYTHING, 0.5)
    table = PromptVersions(catalog, store.engine()).table(figures)
    assert [(row.figures.label, row.before, row.has_text) for row in table.rows] == [
        *(("bare", None, False), ("chat@10", "9", False), ("chat@9", None, True)),
    ]
    assert table.unused == 1


def test_what_is_not_known_is_said_with_what_to_do(catalog: PromptCatalog, store: Store) -> None:
    found = change(catalog, store, "10")
    assert (found.before, found.text, found.difference) == ("9", None, None)
    assert [one[:36] for one in found.remarks] == [
        "The text of version 10 is not known:",
        "The text of version 9 is not known: ",
    ]
    assert "tailbudget sync mlflow URI" in found.remarks[0]
    assert change(catalog, store, None, "bare").remarks == ("Its requests carry no version.",)


def test_the_first_version_has_a_text_and_no_difference(catalog: PromptCatalog, store: Store) -> None:
    catalog.put([stored("9", "Be kind.")])
    found = change(catalog, store, "9")
    assert (found.text, found.difference, found.before) == ("Be kind.", None, None)
    assert found.remarks == ("It is the first version known.",)


def test_a_text_too_long_to_be_kept_is_no_empty_text(catalog: PromptCatalog, store: Store) -> None:
    catalog.put([stored("9", "Be kind."), stored("10", None)])
    found = change(catalog, store, "10")
    assert (found.text, found.difference) == (None, None)
    assert found.remarks == ("The text of version 10 has 123,456 characters; up to 100,000 are kept.",)


def test_sources_that_disagree_are_named_and_the_latest_word_is_shown(
    catalog: PromptCatalog, store: Store
) -> None:
    catalog.put([stored("9", "old"), stored("9", "new", "sqlite:///mlflow.db", 2), stored("10", "new")])
    found = change(catalog, store, "10")
    assert found.difference is not None
    assert found.difference.is_none
    assert found.remarks == (
        "2 sources have different texts of version 9; that of sqlite:///mlflow.db, read last, is shown.",
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('[{"role": "system", "content": "Be brief."}]', "[system]\nBe brief."),
        ('[{"role": "user", "content": [{"type": "text", "text": "a"}, 5]}]', "[user]\na\n5"),
        (
            '[{"role": "user", "content": {"a": 1}}, {"name": "n"}]',
            '[user]\n{"a":1}\n\n[no role]\n{"name":"n"}',
        ),
        ('["no message"]', '["no message"]'),
        ("no JSON\r\nat all", "no JSON\nat all"),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_messages_are_read_as_lines_and_anything_else_as_it_stands(text: str, shown: str) -> None:
    assert readable(text, is_chat=True) == shown
    assert readable(json.dumps(text), is_chat=False) == json.dumps(text)
