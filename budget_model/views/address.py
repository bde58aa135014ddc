"""What a page shows is written in its address: the filter, and the page's own choices beside it.

The address is the truth; widgets are set from it before they are drawn and write to it when they
change. So reload, the back button, a copied link and a page switch all show the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from urllib.parse import urlencode

import streamlit as st

from budget_model.queries.address import PARAMETERS, decode_leniently, encode
from budget_model.queries.filters import Filter
from budget_model.views import text

PAGES: dict[str, str] = {
    "Overview": "app.py",
    "Hops": "pages/hops.py",
    "Traces": "pages/traces.py",
    "Allocator": "pages/allocator.py",
    "Budgets": "pages/budgets.py",
    "Review": "pages/review.py",
    "Data": "pages/data.py",
}
"""Page titles and the files that draw them."""

OFFSET = "offset"
"""How far into a list the page is."""

LONGEST_NUMBER = 9
"""Digits of a number in an address; no list or budget has so many entries."""

_PATHS = {
    "Overview": "./",
    "Hops": "hops",
    "Traces": "traces",
    "Allocator": "allocator",
    "Budgets": "budgets",
    "Review": "review",
    "Data": "data",
}


def current_filter() -> tuple[Filter, list[str]]:
    """The usable part of the filter in the address, and a sentence for each part that is not."""
    return decode_leniently(
        {name: st.query_params.get_all(name) for name in st.query_params if name in PARAMETERS}
    )


def write_filter(f: Filter) -> None:
    """Put ``f`` in the address, leaving the page's own choices alone."""
    others = [name for name in st.query_params if name not in PARAMETERS and name != OFFSET]
    mine = {name: st.query_params.get_all(name) for name in others}
    st.query_params.from_dict({**mine, **encode(f)})


def read(name: str, default: str = "") -> str:
    """One of the page's own choices."""
    return st.query_params.get(name, default)


def one_of(name: str, options: Collection[str], default: str) -> str:
    """One of the page's own choices where it is one of ``options``; else that is said, and the default."""
    chosen = read(name, default)
    if chosen in options or not chosen:
        return chosen or default
    _refuse(name, chosen, "is not one of the choices here")
    return default


def whole_number(name: str) -> int | None:
    """A whole number from 0 among the page's own choices; None without one, and where it is none."""
    written = read(name)
    if not written:
        return None
    if written.isascii() and written.isdecimal() and len(written) <= LONGEST_NUMBER:
        return int(written)
    _refuse(name, written, f"is not a whole number of at most {LONGEST_NUMBER} digits")
    return None


def _refuse(name: str, written: str, why: str) -> None:
    st.warning(f"The address cannot be used in part: {name}={text.markdown(written, 60)} {why}.")


def write(name: str, value: str, default: str = "") -> None:
    """Put one of the page's own choices in the address; the default is left out of it.

    Another choice is another list, which begins at its beginning.
    """
    if name != OFFSET and OFFSET in st.query_params:
        del st.query_params[OFFSET]
    if value and value != default:
        st.query_params[name] = value
    elif name in st.query_params:
        del st.query_params[name]


def kept(*names: str) -> dict[str, str]:
    """Those of the page's own choices that the address holds, to be carried into a link."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def query(f: Filter, **choices: str) -> dict[str, list[str]]:
    """Filter and choices as query parameters."""
    return {**encode(f), **{name: [value] for name, value in choices.items()}}


def href(page: str, f: Filter, **choices: str) -> str:
    """A relative link to ``page`` with filter and choices."""
    written = urlencode(query(f, **choices), doseq=True)
    return _PATHS[page] + (f"?{written}" if written else "")


def choose(
    name: str,
    label: str,
    options: Sequence[str],
    words: Callable[[str], str],
    *,
    default: str | None = None,
    width: int = 260,
) -> str:
    """A drop-down kept in the address under ``name``; without a ``default`` its first option is that."""
    key, usual = f"choose-{name}", default or options[0]
    st.session_state[key] = one_of(name, options, usual)
    answer = st.selectbox(
        label,
        options,
        key=key,
        format_func=words,
        on_change=lambda: write(name, st.session_state[key], usual),
        width=width,
    )
    return str(answer or usual)


def pick(
    name: str,
    label: str,
    options: Sequence[str],
    default: str,
    words: Callable[[str], str],
    *,
    titled: bool = True,
) -> str:
    """A row of choices kept in the address under ``name``; returns the chosen option."""
    key = f"pick-{name}"
    st.session_state[key] = one_of(name, options, default)
    answer = st.segmented_control(
        label,
        options,
        key=key,
        format_func=words,
        required=True,
        on_change=lambda: write(name, st.session_state[key] or default, default),
        label_visibility="visible" if titled else "collapsed",
    )
    return answer or default
