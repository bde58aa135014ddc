from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.normalise import ids
from budget_model.records.rejects import BadRecordError

NOT_ZERO = st.binary(min_size=16, max_size=16).filter(any)


@given(NOT_ZERO)
def test_hexadecimal_of_either_case_and_base64_are_one_id(raw: bytes) -> None:
    spellings = (raw.hex(), raw.hex().upper(), base64.b64encode(raw).decode())
    assert {ids.trace_id(text) for text in spellings} == {raw.hex()}


@given(st.binary(min_size=8, max_size=8).filter(any))
def test_a_span_id_in_base64_joins_the_same_in_hexadecimal(raw: bytes) -> None:
    assert ids.span_id(base64.b64encode(raw).decode()) == ids.parent_id(raw.hex().upper()) == raw.hex()


@pytest.mark.parametrize("value", [None, "", "0" * 16, "AAAAAAAAAAA="])
def test_no_parent_an_empty_one_and_zeros_are_a_root(value: str | None) -> None:
    assert ids.parent_id(value) == ""


@pytest.mark.parametrize("value", [None, "", "ab", "g" * 32, "ab" * 24, 7, "ab" * 16 + "=", "A" * 24])
def test_any_other_trace_id_is_refused_with_what_is_accepted(value: object) -> None:
    with pytest.raises(BadRecordError, match="traceId"):
        ids.trace_id(value)


def test_an_id_of_zeros_is_refused() -> None:
    with pytest.raises(BadRecordError, match="all zeros"):
        ids.span_id("0" * 16)
