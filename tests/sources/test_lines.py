from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.records.rejects import Reject
from budget_model.sources import lines


def piece(path: Path) -> Piece:
    return Piece(str(path), "otlp-jsonl", "jsonl")


def read(part: Piece, options: ReadOptions | None = None) -> list[tuple[str, bytes]]:
    found = lines.read(part, options or ReadOptions())
    return [(item.where, item.payload.strip()) for item in found if isinstance(item, RawRecord)]


def test_lines_carry_their_number_and_blank_ones_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfone\r\n\r\n  \nfour")
    assert read(piece(tmp_path / "f")) == [("line 1", b"one"), ("line 4", b"four")]


def test_a_line_over_the_limit_is_refused_and_the_next_one_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"ok\n" + b"x" * 5000 + b"\nfine\n")
    found = list(lines.read(piece(tmp_path / "f"), ReadOptions(max_line_bytes=100)))
    assert [item.where for item in found] == ["line 1", "line 2", "line 3"]
    assert isinstance(found[1], Reject)
    assert found[1].reason == "a line may be at most 100 bytes long"
    assert len(found[1].value) <= 200


def test_a_line_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 99 + b"\n" + b"y" * 100)
    assert len(read(piece(tmp_path / "f"), ReadOptions(max_line_bytes=100))) == 2


LINES = st.lists(st.binary(max_size=30).filter(lambda text: b"\n" not in text), max_size=30)


@settings(max_examples=200)
@given(texts=LINES, ends=st.booleans(), parts=st.integers(1, 40))
def test_cutting_a_file_keeps_every_line_once_with_its_number(
    tmp_path_factory: object, texts: list[bytes], ends: bool, parts: int
) -> None:
    path = Path(str(tmp_path_factory.getbasetemp())) / "lines"  # type: ignore[attr-defined]
    path.write_bytes(b"\n".join(texts) + (b"\n" if ends else b""))
    cut = lines.cut(piece(path), path.stat().st_size, parts)
    assert len(cut) <= parts
    assert [found for part in cut for found in read(part)] == read(piece(path))


def test_progress_ends_at_the_size_of_the_part(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\ntwo\nthree\n")
    last = list(lines.read(piece(tmp_path / "f"), ReadOptions()))[-1]
    assert isinstance(last, RawRecord)
    assert last.bytes_read == 14
