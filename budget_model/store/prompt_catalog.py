"""What the ledger knows of prompt versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, and_, delete, insert, select

from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import pieces
from budget_model.store.prompt_models import PromptRow

Key = tuple[str, str]
"""A prompt's name and version."""


@dataclass(frozen=True, slots=True)
class StoredPrompt:
    """One version as last written; see ``PromptRow`` for what the fields mean."""

    source: str
    name: str
    version: str
    text: str | None
    chars: int
    is_chat: bool
    created_ms: int | None
    digest: str
    noticed_us: int


class PromptCatalog:
    """Prompt versions in the ledger's database; safe to share between threads.

    Raises StoreError when the database cannot be used.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def digests(self, source: str, names: Iterable[str]) -> dict[Key, str]:
        """Digests of the versions of some prompts that came from a source."""
        query = select(PromptRow.name, PromptRow.version, PromptRow.digest).where(PromptRow.source == source)
        with self._ledger.session() as session:
            return {
                (name, version): digest
                for some in pieces(sorted(set(names)))
                for name, version, digest in session.execute(query.where(PromptRow.name.in_(some)))
            }

    def put(self, prompts: Sequence[StoredPrompt]) -> None:
        """Write versions in one transaction; whatever was known of them is replaced."""
        with self._ledger.session() as session:
            for one in prompts:
                session.execute(delete(PromptRow).where(_is(one.source, one.name, one.version)))
            if prompts:
                session.execute(insert(PromptRow), [asdict(one) for one in prompts])

    def forget(self, source: str) -> None:
        """Remove what came from a source."""
        with self._ledger.session() as session:
            session.execute(delete(PromptRow).where(PromptRow.source == source))

    def versions(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Versions of some prompts by name, each once whichever sources have it."""
        query = select(PromptRow.name, PromptRow.version).distinct()
        found: dict[str, list[str]] = {}
        with self._ledger.session() as session:
            for some in pieces(sorted(set(names))):
                for name, version in session.execute(query.where(PromptRow.name.in_(some))):
                    found.setdefault(name, []).append(version)
        return found

    def readings(self, name: str, version: str) -> list[StoredPrompt]:
        """What the sources say of one version, the latest word first."""
        query = select(PromptRow).where(PromptRow.name == name, PromptRow.version == version)
        with self._ledger.session() as session:
            rows = session.scalars(query.order_by(PromptRow.noticed_us.desc(), PromptRow.source))
            return [_prompt(row) for row in rows]


def _is(source: str, name: str, version: str) -> ColumnElement[bool]:
    return and_(PromptRow.source == source, PromptRow.name == name, PromptRow.version == version)


def _prompt(row: PromptRow) -> StoredPrompt:
    return StoredPrompt(**{name: getattr(row, name) for name in StoredPrompt.__dataclass_fields__})
