"""Files of lines: cut into byte ranges at line starts, and read line by line with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, excerpt
from budget_model.sources.streams import disk_position, opened

_CHUNK = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def read(piece: Piece, options: ReadOptions) -> Iterator[RawRecord | Reject]:
    """The lines that begin in the piece, as bytes; blank lines are passed over.

    A line longer than ``options.max_line_bytes`` is a Reject and reading goes on after it.
    """
    with opened(Path(piece.path), piece.compression, options.max_output_bytes) as stream:
        if piece.start:
            stream.seek(piece.start)
        yield from _lines(stream, piece, options.max_line_bytes)


def _lines(stream: BinaryIO, piece: Piece, limit: int) -> Iterator[RawRecord | Reject]:
    number, done = piece.first_line, 0
    size = None if piece.stop is None else piece.stop - piece.start
    while size is None or done < size:
        line = stream.readline(limit + 1)
        if not line:
            return
        done += len(line)
        if len(line) > limit and not line.endswith(b"\n"):
            done += _skip_line(stream)
            yield Reject(f"line {number}", excerpt(line[:400]), f"a line may be at most {limit:,} bytes long")
        else:
            text = line.removeprefix(_BOM) if number == 1 else line
            if text and not text.isspace():
                yield RawRecord(f"line {number}", text, disk_position(stream) if size is None else done)
        number += 1


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while chunk := stream.readline(_CHUNK):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped


def cut(piece: Piece, size: int, parts: int) -> list[Piece]:
    """``piece``, a whole uncompressed file of ``size`` bytes, in at most ``parts`` of like size.

    Every line is in exactly one part. Reads the file once, to count lines and to find their starts.
    """
    if parts <= 1 or piece.compression != "none" or size < parts:
        return [piece]
    wanted = [size * index // parts for index in range(1, parts)]
    starts = [(0, 1), *_line_starts(Path(piece.path), wanted)]
    stops = [start for start, _ in starts[1:]] + [size]
    return [
        Piece(piece.path, piece.format, piece.container, "none", start, stop, line)
        for (start, line), stop in zip(starts, stops, strict=True)
        if start < stop
    ]


def _line_starts(path: Path, wanted: list[int]) -> Iterator[tuple[int, int]]:
    """For each wanted offset the first line start at or after it, and that line's number."""
    with opened(path, "none") as file:
        line, done = 1, 0
        for offset in wanted:
            if offset <= done:
                yield done, line
                continue
            line += _count_newlines(file, offset - 1 - done)
            rest = _skip_line(file)
            done = offset - 1 + rest
            line += 1
            yield done, line


def _count_newlines(file: BinaryIO, size: int) -> int:
    count = 0
    while size > 0 and (chunk := file.read(min(size, _CHUNK))):
        count += chunk.count(b"\n")
        size -= len(chunk)
    return count
