from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.errors import SourceError
from budget_model.records.rejects import Reject
from budget_model.sources import csv_records
from budget_model.sources.csv_records import records
from tests.imported import warning_codes, written

HEADER = "request_id,e2e_ms,note"


def read(text: str | bytes) -> list[tuple[int, list[str]] | Reject]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(records(io.BytesIO(raw), "log.csv"))


def test_a_record_has_the_number_of_the_line_it_begins_on() -> None:
    found = read('a,b\n1,"x\ny"\n\n2,z\n')
    assert found == [(1, ["a", "b"]), (2, ["1", "x\ny"]), (5, ["2", "z"])]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_header_decides_the_separator(separator: str) -> None:
    assert read(f"a{separator}b{separator}c\n1{separator}2{separator}3\n")[1] == (2, ["1", "2", "3"])


def test_a_quote_never_closed_costs_one_line_and_not_the_rest() -> None:
    found = read('a,b\n1,"open\n2,x\n3,y\n')
    assert isinstance(found[1], Reject)
    assert (found[1].where, "not closed" in found[1].reason) == ("line 2", True)
    assert found[2:] == [(3, ["2", "x"]), (4, ["3", "y"])]


def test_text_after_a_closing_quote_is_refused_alone() -> None:
    found = read('a,b\n1,"x"y\n2,z\n')
    assert isinstance(found[1], Reject)
    assert found[2] == (3, ["2", "z"])


def test_a_line_too_long_is_refused_by_number_and_reading_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_records, "MAX_LINE_BYTES", 100)
    found = read("a,b\n1," + "x" * 500 + '\n2,y\n3,"q\n' + "z" * 500 + "\n4,w\n")
    assert [item.where if isinstance(item, Reject) else item[0] for item in found] == [
        1,
        "line 2",
        3,
        "line 4",
        "line 5",
        6,
    ]


def test_a_file_whose_every_line_opens_a_quote_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_records, "MAX_REREAD_CHARS", 10_000)
    with pytest.raises(SourceError, match="quotes are never closed"):
        read("a,b\n" + '1,"x""\n' * 2000)


@given(st.lists(st.lists(st.text(alphabet='ab",;\r\n é', max_size=6), min_size=2, max_size=2), max_size=12))
def test_what_the_standard_writer_writes_comes_back(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out, csv.excel, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([["x", "y"], *rows])
    found = read(out.getvalue())
    assert [item[1] for item in found[1:] if not isinstance(item, Reject)] == rows


@given(st.lists(st.text(alphabet='1a", \n', max_size=12), max_size=20))
def test_every_line_is_in_one_record_or_refused(lines: list[str]) -> None:
    text = "x,y\n" + "\n".join(lines)
    found = read(text)
    at = [int(item.where.removeprefix("line ")) if isinstance(item, Reject) else item[0] for item in found]
    assert at == sorted(set(at))
    # Only blank lines and lines inside a quoted field begin no record.
    inside = {
        line
        for item in found
        if not isinstance(item, Reject)
        for line in range(item[0] + 1, item[0] + 1 + sum(cell.count("\n") for cell in item[1]))
    }
    blank = {number for number, line in enumerate(text.split("\n"), 1) if not line}
    assert set(range(1, text.count("\n") + 2)) - set(at) <= inside | blank


def test_a_million_columns_are_refused_in_one_sentence() -> None:
    with pytest.raises(SourceError, match="1,000,000 columns; at most 10,000"):
        read(",".join(f"c{number}" for number in range(1_000_000)) + "\n")


def test_a_header_twice_named_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="'e2e_ms' stands in the header twice"):
        written(tmp_path / "l.csv", "request_id,e2e_ms,e2e_ms\nr1,1,2\n")


def test_a_header_alone_holds_no_request(tmp_path: Path) -> None:
    assert written(tmp_path / "l.csv", HEADER + "\n").records == 0


def test_rows_of_another_length_are_refused_alone(tmp_path: Path) -> None:
    batch = written(tmp_path / "l.csv", f"{HEADER}\nr1,1,x\nr2,2\nr3,3,x,y\nr4,4,é\n")
    assert [fact.request_id for fact in batch.facts] == ["r1", "r4"]
    assert [(reject.where, reject.reason.partition(" fields")[0]) for reject in batch.rejects] == [
        ("line 3", "the row has 2"),
        ("line 4", "the row has 4"),
    ]


@pytest.mark.parametrize(("damage", "reason"), [("\0", "NUL bytes"), ("\udce9", "not valid UTF-8")])
def test_damage_late_in_a_file_is_refused_by_line(tmp_path: Path, damage: str, reason: str) -> None:
    filler = "".join(f"r{number},1,{'x' * 1000}\n" for number in range(200))
    batch = written(tmp_path / "l.csv", f"{HEADER}\n{filler}bad,1,a{damage}b\nlast,1,x\n")
    assert (batch.accepted, [reject.where for reject in batch.rejects]) == (201, ["line 202"])
    assert reason in batch.rejects[0].reason


def test_a_column_without_name_is_left_out_and_said_so(tmp_path: Path) -> None:
    batch = written(tmp_path / "l.csv", "request_id,e2e_ms,,\nr1,1,,\n")
    assert (batch.accepted, warning_codes(batch)) == (1, {"unnamed-column"})


def test_a_huge_field_is_refused_by_line_and_the_rest_goes_in(tmp_path: Path) -> None:
    huge = "x" * (csv_records.MAX_LINE_BYTES + 10)
    batch = written(tmp_path / "l.csv", f"{HEADER}\nr1,1,{huge}\nr2,2,\n")
    assert [reject.where for reject in batch.rejects] == ["line 2"]
    assert [fact.request_id for fact in batch.facts] == ["r2"]
