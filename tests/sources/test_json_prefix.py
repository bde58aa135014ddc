from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.sources.json_prefix import MAX_DEPTH, TooDeepError, decode_prefix

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2, "thr', {"a": [1, 2]}),
        ('{"a": 1, "b": 23', {"a": 1}),
        ('{"a": 1, "b": tr', {"a": 1}),
        ('{"a": "x\\"y", "b', {"a": 'x"y'}),
        ("[", []),
        ('{"a": {"b": "x"}} {"c": 1}', {"a": {"b": "x"}}),
    ],
)
def test_what_is_whole_in_a_cut_text_is_kept(text: str, value: Any) -> None:
    assert decode_prefix(text) == value


@pytest.mark.parametrize("text", ["123", "nothing", '"a', ""])
def test_a_text_that_opens_no_object_or_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON object or list"):
        decode_prefix(text)


def test_nesting_is_refused_before_a_decoder_would_run_out_of_stack() -> None:
    decode_prefix("[" * MAX_DEPTH)
    with pytest.raises(TooDeepError):
        decode_prefix("[" * 1_000_000)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.integers(1, 200))
def test_any_cut_of_an_object_decodes_to_names_of_that_object(value: dict[str, Any], length: int) -> None:
    found = decode_prefix(json.dumps(value)[:length])
    assert set(found) <= set(value)
    for name in list(found)[:-1]:  # all but the last are whole
        assert found[name] == value[name]
