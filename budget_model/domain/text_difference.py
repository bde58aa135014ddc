"""What one text has that another has not: line by line, and within changed lines word by word.

Bounded in time whatever the texts: what is alike at both ends is set aside first, and where the
rest is too much to compare, the one is shown as removed and the other as added, whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum

CONTEXT_LINES = 2
"""Lines alike that are shown before and after a change."""

MOST_COMPARED = 1_000_000
"""Pairs of lines, or of words of one change, beyond which nothing is compared."""

_WORDS = re.compile(r"\w+|\n|[^\S\n]+|[^\w\s]")


class Change(StrEnum):
    """What became of a part of the earlier text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    LEFT_OUT = "left out"
    """Lines alike, far from any change, that are not shown."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some text on one line; SAME within a removed or an added line is in both of them."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line. ``parts`` joined are its text; of LEFT_OUT there are none, and ``count`` such lines."""

    change: Change
    parts: tuple[Part, ...] = ()
    count: int = 1

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class TextDifference:
    """The lines of both texts in order, and how many words are in one of them alone."""

    lines: tuple[Line, ...] = field(default=())
    words_removed: int = 0
    words_added: int = 0

    @property
    def is_none(self) -> bool:
        """Whether the texts are the same."""
        return all(line.change in (Change.SAME, Change.LEFT_OUT) for line in self.lines)


def text_difference(before: str, after: str) -> TextDifference:
    """What changed from ``before`` to ``after``. Lines end at a newline and nowhere else."""
    lines = list(_lines(before.split("\n"), after.split("\n")))
    return TextDifference(
        tuple(_shortened(lines)), _words(lines, Change.REMOVED), _words(lines, Change.ADDED)
    )


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    for is_same, old, new in _changes(before, after):
        if is_same:
            yield from (Line(Change.SAME, (Part(Change.SAME, text),)) for text in old)
        else:
            yield from _replaced("\n".join(old) if old else None, "\n".join(new) if new else None)


def _replaced(old: str | None, new: str | None) -> Iterator[Line]:
    """Lines that are gone, then those that came, with the words in both marked as the same."""
    stretches = list(_changes(*(_WORDS.findall(text or "") for text in (old, new))))
    parts: dict[Change, list[Part]] = {Change.REMOVED: [], Change.ADDED: []}
    for place, (is_same, gone, come) in enumerate(stretches):
        is_same = is_same and not (0 < place < len(stretches) - 1 and _is_gap(gone))
        for change, found in ((Change.REMOVED, gone), (Change.ADDED, come)):
            if found:
                _append(parts[change], Part(Change.SAME if is_same else change, "".join(found)))
    for change, text in ((Change.REMOVED, old), (Change.ADDED, new)):
        if text is not None:
            yield from (Line(change, tuple(line)) for line in _split(parts[change]))


def _is_gap(words: list[str]) -> bool:
    """A space between two changed words: to take it for the same would cut their change in two."""
    return len(words) == 1 and words[0] != "\n" and words[0].isspace()


def _append(parts: list[Part], part: Part) -> None:
    if parts and parts[-1].change is part.change:
        part = Part(part.change, parts.pop().text + part.text)
    parts.append(part)


def _split(parts: Sequence[Part]) -> list[list[Part]]:
    """The parts cut at newlines, one list a line."""
    lines: list[list[Part]] = [[]]
    for part in parts:
        first, *others = part.text.split("\n")
        lines[-1].append(Part(part.change, first))
        lines += [[Part(part.change, text)] for text in others]
    return [[part for part in line if part.text] for line in lines]


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[bool, list[str], list[str]]]:
    """Stretches that are the same or not, in order; both sides of one that is the same are alike."""
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if head:
        yield True, before[:head], after[:head]
    if old and new and len(old) * len(new) <= MOST_COMPARED:
        for name, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
            yield name == "equal", old[a:b], new[c:d]
    elif old or new:
        yield False, old, new
    if tail:
        yield True, before[len(before) - tail :], after[len(after) - tail :]


def _alike(before: list[str], after: list[str]) -> int:
    """How many items both begin with."""
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return place
    return min(len(before), len(after))


def _shortened(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines with those left out that are alike and far from any change."""
    changed = [place for place, line in enumerate(lines) if line.change is not Change.SAME]
    near = {
        other
        for place in changed
        for other in range(place - CONTEXT_LINES, place + CONTEXT_LINES + 1)
        if 0 <= other < len(lines)
    }
    out = 0
    for place, line in enumerate(lines):
        if place not in near:
            out += 1
            continue
        if out:
            yield Line(Change.LEFT_OUT, count=out)
        out = 0
        yield line
    if out:
        yield Line(Change.LEFT_OUT, count=out)


def _words(lines: Sequence[Line], change: Change) -> int:
    parts = (part.text for line in lines for part in line.parts if part.change is change)
    return sum(len(re.findall(r"\w+", text)) for text in parts)
