"""CSV read strictly and one record at a time, each with the number of the line it begins on.

Nothing is guessed but the separator, which the header line decides. A record that cannot be read is
refused alone: reading goes on with the line after the one it began on, so that a quote that is never
closed costs one line and not the rest of the file.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from budget_model.errors import SourceError
from budget_model.records.rejects import Reject, excerpt
from budget_model.sources.tables import separator_of

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Longest line, and longest field, that is read."""

MAX_RECORD_LINES = 100_000
"""Lines one quoted field may span before its quote is taken for one never closed."""

MAX_REREAD_CHARS = 256 * 1024 * 1024
"""Text that is read again after quotes never closed, before the file is refused as no CSV."""

MAX_COLUMNS = 10_000

_BOM = b"\xef\xbb\xbf"
_CHUNK = 4 * 1024 * 1024

Record = tuple[int, list[str]]


def records(stream: BinaryIO, name: str) -> Iterator[Record | Reject]:
    """The header record and then the others, each with its line number; blank lines are passed over.

    Raises SourceError naming the file when the header cannot be used.
    """
    csv.field_size_limit(MAX_LINE_BYTES)  # the module's own limit is for the whole process and small
    feed = _Lines(stream, name)
    header = feed.peek()
    if header is None:
        raise SourceError(f"{name}: the header line is longer than {MAX_LINE_BYTES:,} bytes")
    separator = separator_of(header)
    width = header.count(separator) + 1
    if width > MAX_COLUMNS:
        raise SourceError(f"{name}: the header has {width:,} columns; at most {MAX_COLUMNS:,} are read")
    reader = csv.reader(feed, delimiter=separator, strict=True)
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _LineTooLongError) as error:
            yield feed.refuse(error)
            continue
        if cells:
            yield feed.first_line, cells


class _LineTooLongError(Exception):
    """The line is longer than is read."""


class _Lines:
    """The lines of a stream as text, those of the record at hand kept so that they can be read again."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._reread_chars = 0
        self._ahead: deque[str | None] = deque()
        self._taken: list[str | None] = []
        self._next_line = 1

    @property
    def first_line(self) -> int:
        """Number of the line the record at hand begins on."""
        return self._next_line - len(self._taken)

    def peek(self) -> str | None:
        """The first line that is not blank; None when it is too long, empty text when there is none."""
        while (line := self._read()) is not None and line.isspace():
            self._next_line += 1
        self._ahead.append(line) if line != "" else None
        return line

    def begin(self) -> None:
        """A new record begins with the next line."""
        self._taken = []

    def refuse(self, error: Exception) -> Reject:
        """Refuse the line the record began on and go back to the one after it.

        Raises SourceError when going back has cost too much: every line may open a quote.
        """
        line, first, rest = self.first_line, self._taken[0], self._taken[1:]
        if rest:
            reason = f"the record cannot be read as CSV ({error}); is a quote not closed?"
        elif first is None:
            reason = f"a line may be at most {MAX_LINE_BYTES:,} bytes long"
        else:
            reason = f"the line cannot be read as CSV ({error})"
        self._reread_chars += sum(len(text or "") for text in rest)
        if self._reread_chars > MAX_REREAD_CHARS:
            raise SourceError(
                f"{self._name}: too many quotes are never closed, at line {line} again; is it CSV?"
            )
        self._ahead.extendleft(reversed(rest))
        self._next_line -= len(rest)
        return Reject(f"line {line}", excerpt((first or "").rstrip("\r\n")), reason)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._ahead.popleft() if self._ahead else self._read()
        if line == "":
            raise StopIteration
        self._taken.append(line)
        self._next_line += 1
        if line is None:
            raise _LineTooLongError
        if len(self._taken) > MAX_RECORD_LINES:
            raise csv.Error(f"one field spans more than {MAX_RECORD_LINES:,} lines")
        return line

    def _read(self) -> str | None:
        """A line with bytes that are no UTF-8 kept apart as surrogates; None when it is too long."""
        line = self._stream.readline(MAX_LINE_BYTES + 1)
        if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
            text = line.removeprefix(_BOM) if self._next_line == 1 and not self._taken else line
            return text.decode("utf-8", "surrogateescape")
        while (chunk := self._stream.readline(_CHUNK)) and not chunk.endswith(b"\n"):
            pass
        return None
