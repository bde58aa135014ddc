from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.errors import FilterError
from budget_model.queries.address import decode, decode_leniently, encode
from budget_model.queries.filters import DIMENSIONS, EVERYTHING, Filter
from budget_model.queries.times import format_time_us, parse_time_us

NOW_US = 1_764_547_200_000_000
TEXT = st.one_of(
    st.none(), st.text(max_size=12), st.sampled_from(["", "~", "~~", "a&b=c", "é漢", "%20", "+ #?"])
)
VALUES = st.lists(TEXT, max_size=4, unique=True).map(tuple)
TIME = st.one_of(st.none(), st.integers(0, 4_000_000_000_000_000))


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    chosen = Filter()
    for name in DIMENSIONS:
        chosen = chosen.with_values(name, draw(VALUES))
    since_us, until_us = draw(TIME), draw(TIME)
    if since_us is not None and until_us is not None and since_us >= until_us:
        until_us = since_us + 1
    return replace(chosen, since_us=since_us, until_us=until_us)


@given(filters())
def test_any_filter_survives_the_address(chosen: Filter) -> None:
    query = urlencode(encode(chosen), doseq=True)
    assert decode(parse_qs(query, keep_blank_values=True)) == chosen


def test_everything_needs_no_parameter() -> None:
    assert encode(EVERYTHING) == {}
    assert decode({}) == EVERYTHING


def test_the_pages_own_parameters_are_not_the_filters_business() -> None:
    assert decode({"tenant": ["acme"], "q": ["99"]}) == Filter(tenant=("acme",))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"since": ["yesterday"]}, "'yesterday' is no time"),
        ({"since": ["2026-13-01"]}, "2026-13-01"),
        ({"until": ["2026-12-01", "2026-12-02"]}, "2 times"),
        ({"since": ["2026-12-02"], "until": ["2026-12-01"]}, "not before"),
        ({"colour": ["red"]}, "no filter 'colour'"),
        ({"since": ["7d"]}, "not known here"),
    ],
)
def test_what_cannot_be_used_is_said_and_the_rest_still_holds(
    parameters: dict[str, list[str]], words: str
) -> None:
    chosen, complaints = decode_leniently({**parameters, "tenant": ["acme"]})
    assert chosen == Filter(tenant=("acme",))
    assert len(complaints) == 1
    assert words in complaints[0]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"since": ["soon"]}, "since: 'soon' is no time; a UTC time such as"),
        ({"until": ["2026-12-01", "2026-12-02"]}, "until: it is given 2 times; one is accepted"),
        ({"since": ["2026-12-02"], "until": ["2026-12-01"]}, "since is not before until; an earlier since"),
    ],
)
def test_the_strict_reading_refuses_and_does_not_speak_of_leaving_out(
    parameters: dict[str, list[str]], words: str
) -> None:
    with pytest.raises(FilterError, match=words) as refused:
        decode(parameters)
    assert "left out" not in str(refused.value)


def test_parameters_known_to_the_page_are_no_complaint() -> None:
    assert decode_leniently({"q": ["99"]}, known=frozenset({"q"})) == (EVERYTHING, [])


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("2025-12-01T00:00Z", NOW_US),
        ("2025-12-01", NOW_US),
        ("2025-12-01T00:00", NOW_US),
        ("2025-12-01T01:00+01:00", NOW_US),
        ("2025-12-01T00:00:00.000001Z", NOW_US + 1),
        ("7d", NOW_US - 7 * 86_400_000_000),
        ("90m", NOW_US - 90 * 60_000_000),
    ],
)
def test_moments_are_read_in_utc_or_back_from_now(text: str, us: int) -> None:
    assert parse_time_us(text, NOW_US) == us


@given(st.integers(0, 4_000_000_000_000_000))
def test_a_time_is_written_exactly(us: int) -> None:
    assert parse_time_us(format_time_us(us)) == us
