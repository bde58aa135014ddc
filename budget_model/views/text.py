"""Labels from data are text, never markup: how they are made safe for each place they are shown.

Widget options and data frames take plain text as it is; page text (Markdown), HTML and chart
labels do not. Each function cuts what is too long and keeps right-to-left text from reordering
its surroundings (Unicode isolates).
"""

from __future__ import annotations

import html
import re
import unicodedata

from budget_model.views.format import NOT_RECORDED

FIRST_STRONG_ISOLATE, POP_ISOLATE, WORD_JOINER = "\u2068", "\u2069", "\u2060"
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_TRIGGERS = re.compile(r"(:(?=\S)|@|www)", re.IGNORECASE)


def plain(value: str | None, limit: int = 60) -> str:
    """One printable line of at most ``limit`` characters; None reads "not recorded"."""
    if value is None:
        return NOT_RECORDED
    line = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in value).strip() or "(blank)"
    return line if len(line) <= limit else line[: limit - 1] + "…"


def middle(value: str, limit: int) -> str:
    """Like ``plain``, but what is cut is the middle: of a file's name both ends tell it apart."""
    line = plain(value, 1000)
    if len(line) <= limit:
        return line
    head = (limit - 1) // 2
    return line[:head] + "…" + line[head + 1 - limit :]


def _isolated(value: str) -> str:
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in value):
        return FIRST_STRONG_ISOLATE + value + POP_ISOLATE
    return value


def markdown(value: str | None, limit: int = 60) -> str:
    """Safe inside Markdown: punctuation escaped, links, emoji and colour directives kept from forming."""
    guarded = _TRIGGERS.sub(rf"\1{WORD_JOINER}", plain(value, limit))
    return _isolated(_PUNCTUATION.sub(r"\\\1", guarded))


def markup(value: str | None, limit: int = 80) -> str:
    """Safe inside HTML text and attributes."""
    return html.escape(_isolated(plain(value, limit)), quote=True)


def chart(value: str | None, limit: int = 28) -> str:
    """Safe as a chart's label or hover text, where a few HTML tags would be obeyed."""
    return html.escape(_isolated(plain(value, limit)), quote=False)


def exact(value: str) -> str:
    """Part of a longer text, whole, safe inside HTML that keeps spaces: what cannot be seen is marked."""
    shown = "".join(
        c if c == "\t" or unicodedata.category(c)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for c in value
    )
    return html.escape(shown, quote=True)
