from __future__ import annotations

import pytest

from budget_model.normalise import loose_ids
from budget_model.records.rejects import BadRecordError


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("0xAB", "00000000000000ab"),
        ("c3c3c3c3c3c3c3c3", "c3c3c3c3c3c3c3c3"),
        ("1c3c3c3c3c3c3c3c3", "0" * 15 + "1c3c3c3c3c3c3c3c3"),
        ("trace-7", "trace-7"),
        ("f" * 40, "f" * 40),
    ],
)
def test_a_trace_id_is_padded_when_it_is_a_number(value: str, kept: str) -> None:
    assert loose_ids.trace_id(value, "traceID") == kept


@pytest.mark.parametrize("value", [None, "", "0", "0x0000", 12, "x" * 300])
def test_what_is_no_id_is_refused(value: object) -> None:
    with pytest.raises(BadRecordError, match="spanID"):
        loose_ids.span_id(value, "spanID")


@pytest.mark.parametrize("value", [None, "", "0", "0" * 16])
def test_no_parent_in_any_spelling_is_a_root(value: object) -> None:
    assert loose_ids.parent_id(value, "parentId") == ""
