"""The part of a sync with MLflow that brings the texts of prompt versions."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from threading import Event

import msgspec

from budget_model.records.mlflow import MlflowStore, PromptVersion
from budget_model.services.workers import check
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import Key, PromptCatalog, StoredPrompt


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """Versions read: ``accepted + changed + duplicates == read``.

    ``accepted`` were new, ``changed`` replace what was known, ``duplicates`` were here just like that.
    ``without_text`` (of those read) have a text that is too long to be kept.
    """

    read: int = 0
    accepted: int = 0
    changed: int = 0
    duplicates: int = 0
    without_text: int = 0

    def __add__(self, other: PromptCounts) -> PromptCounts:
        return PromptCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(PromptCounts)))

    def as_extras(self) -> dict[str, int]:
        """The counts as they stand beside those of traces."""
        return {f"prompts_{f.name}": getattr(self, f.name) for f in fields(PromptCounts)}


def bring_prompts(
    ledger: Ledger,
    store: MlflowStore,
    *,
    source: str,
    now_us: int,
    on_page: Callable[[PromptCounts], None],
    cancel: Event | None = None,
) -> None:
    """Read all prompt versions of the registry, page by page, and write what is new or changed.

    ``source`` is the public address they are remembered by; ``on_page`` gets the counts of each page
    that was written. A version that is gone from the registry is kept, since requests were made with
    it. Raises RemoteError, StoreError or Cancelled; pages written before stay.
    """
    catalog = PromptCatalog(ledger)
    for page in store.prompts():
        check(cancel)
        on_page(keep_prompts(catalog, page, source, now_us))


def keep_prompts(
    catalog: PromptCatalog, page: Sequence[PromptVersion], source: str, now_us: int
) -> PromptCounts:
    """Write what is new or changed of some versions, in one transaction. Raises StoreError."""
    known = catalog.digests(source, [one.name for one in page])
    counts, changed = Counter[str](read=len(page)), dict[Key, StoredPrompt]()
    for one in page:
        row = _row(one, source, now_us)
        key = row.name, row.version
        before = known.get(key)
        counts["accepted" if before is None else "duplicates" if before == row.digest else "changed"] += 1
        counts["without_text"] += row.text is None
        if before != row.digest:
            changed[key] = row
            known[key] = row.digest
    catalog.put(list(changed.values()))
    return PromptCounts(**counts)


def _row(one: PromptVersion, source: str, now_us: int) -> StoredPrompt:
    content = msgspec.json.encode(one, order="deterministic")
    return StoredPrompt(
        source=source,
        name=_storable(one.name),
        version=_storable(one.version),
        text=None if one.text is None else _storable(one.text),
        chars=one.chars,
        is_chat=one.is_chat,
        created_ms=one.created_ms,
        digest=hashlib.blake2b(content, digest_size=16).hexdigest(),
        noticed_us=now_us,
    )


def _storable(text: str) -> str:
    """PostgreSQL holds no zero bytes."""
    return text.replace("\0", "")
