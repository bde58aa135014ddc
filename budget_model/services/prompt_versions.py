"""Prompt versions as pages and commands show them: figures, the version before, and what its text changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budget_model.domain.text_difference import TextDifference, text_difference
from budget_model.domain.versions import version_order
from budget_model.queries.engine import Engine
from budget_model.queries.prompt_figures import prompt_names
from budget_model.queries.results import PromptFigures
from budget_model.records.mlflow import MOST_PROMPT_CHARS
from budget_model.services.prompt_text import readable
from budget_model.store.prompt_catalog import PromptCatalog

SYNC_ADVICE = "`tailbudget sync mlflow URI` brings the texts of a registry"


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version. ``before`` is the version before it, None for the first and for no version.

    ``has_text`` says that a registry's text of it is here. Texts and names come from the data: treat
    them as untrusted.
    """

    figures: PromptFigures
    before: str | None
    has_text: bool


@dataclass(frozen=True, slots=True)
class VersionTable:
    """Versions with requests; ``unused`` counts those of the same prompts that have none here."""

    rows: tuple[VersionRow, ...]
    unused: int


@dataclass(frozen=True, slots=True)
class TextChange:
    """What a version's text changed from the one before. Texts are untrusted.

    ``text`` is None when it is not known; ``difference`` is None without both texts, and ``remarks``
    say in one sentence each why, and what else is to be known of the texts.
    """

    name: str
    version: str | None
    before: str | None
    text: str | None
    difference: TextDifference | None
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """The readable text of one version, or why there is none; ``remark`` may stand beside a text."""

    text: str | None
    remark: str = ""


class PromptVersions:
    """Puts a registry's texts beside the figures; safe to share between threads.

    Methods raise StoreError when the ledger cannot be read.
    """

    def __init__(self, catalog: PromptCatalog, engine: Engine) -> None:
        self._catalog = catalog
        self._engine = engine

    def table(self, figures: Sequence[PromptFigures]) -> VersionTable:
        """The rows of some versions, in the order given."""
        names = {one.name for one in figures}
        registered = self._catalog.versions(names)
        known = {name: self._known(name, registered.get(name, ())) for name in names}
        rows = tuple(
            VersionRow(
                one,
                _before(one.version, known[one.name]),
                one.version is not None and one.version in registered.get(one.name, ()),
            )
            for one in figures
        )
        shown = {(one.name, one.version) for one in figures}
        unused = sum((name, version) not in shown for name in names for version in known[name])
        return VersionTable(rows, unused)

    def change(self, name: str, version: str | None) -> TextChange:
        """The text of a version beside that of the version before it."""
        if version is None:
            return TextChange(name, None, None, None, None, ("Its requests carry no version.",))
        before = _before(version, self._known(name, self._catalog.versions([name]).get(name, ())))
        mine = self._text(name, version)
        if before is None:
            remarks = (mine.remark, "It is the first version known.")
            return TextChange(name, version, None, mine.text, None, _said(*remarks))
        other = self._text(name, before)
        difference = None
        if mine.text is not None and other.text is not None:
            difference = text_difference(other.text, mine.text)
        return TextChange(name, version, before, mine.text, difference, _said(mine.remark, other.remark))

    def _known(self, name: str, registered: Sequence[str]) -> list[str]:
        """Every version of a prompt, whether a registry or any request tells of it, the earliest first."""
        labels = prompt_names(self._engine.table()).values()
        told = {version for one, version in labels if one == name and version is not None}
        return sorted({*registered, *told}, key=lambda version: (version_order(version), version))

    def _text(self, name: str, version: str) -> _Text:
        readings = self._catalog.readings(name, version)
        if not readings:
            return _Text(None, f"The text of version {version} is not known: {SYNC_ADVICE}.")
        latest = readings[0]
        if latest.text is None:
            return _Text(
                None,
                f"The text of version {version} has {latest.chars:,} characters; up to "
                f"{MOST_PROMPT_CHARS:,} are kept.",
            )
        remark = ""
        if len({(one.text, one.is_chat) for one in readings}) > 1:
            remark = (
                f"{len(readings)} sources have different texts of version {version}; "
                f"that of {latest.source}, read last, is shown."
            )
        return _Text(readable(latest.text, is_chat=latest.is_chat), remark)


def _before(version: str | None, ordered: Sequence[str]) -> str | None:
    if version is None or version not in ordered:
        return None
    place = ordered.index(version)
    return ordered[place - 1] if place else None


def _said(*remarks: str) -> tuple[str, ...]:
    return tuple(one for one in remarks if one)
