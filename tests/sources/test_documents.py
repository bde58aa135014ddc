from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, ReadOptions
from budget_model.sources import documents


def piece(path: Path, content: bytes) -> Piece:
    path.write_bytes(content)
    return Piece(str(path), "otlp-json", "json")


def test_a_whole_document_is_one_record_without_its_byte_order_mark(tmp_path: Path) -> None:
    found = list(documents.read(piece(tmp_path / "f", b'\xef\xbb\xbf{"a": 1}'), ReadOptions()))
    assert [(item.where, item.payload) for item in found] == [("document", b'{"a": 1}')]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": [1, 2', "ends in the middle of a value, as half a file does"),
        (b'{"a": 1} trailing', "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": \x00}', "not valid JSON"),
    ],
)
def test_a_document_that_is_not_whole_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, words: str
) -> None:
    half = piece(tmp_path / "half", content)
    with pytest.raises(SourceError, match=rf"^half: .*{words}.*; nothing of it was imported$"):
        list(documents.read(half, ReadOptions()))
    with pytest.raises(SourceError, match=words):
        documents.decoded(half, ReadOptions())


def test_a_document_over_the_limit_is_refused_with_what_to_do(tmp_path: Path) -> None:
    large = piece(tmp_path / "large", b"[" + b"1," * 1000 + b"1]")
    with pytest.raises(SourceError, match=r"more than 1,000 bytes is not read; write it as JSON lines"):
        list(documents.read(large, ReadOptions(max_document_bytes=1000)))
