"""What a file is, judged by its content; the name is never looked at.

Only a bounded head is read, at most ``HEAD_BYTES`` of content, so a large file of something else
is refused as quickly as a small one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from budget_model.errors import SourceError, UnknownFormatError
from budget_model.records.raw import Piece
from budget_model.sources import shapes
from budget_model.sources.json_prefix import TooDeepError, decode_prefix
from budget_model.sources.protobuf_wire import container_of
from budget_model.sources.streams import opened
from budget_model.sources.tables import classify_parquet, classify_table

HEAD_BYTES = 1024 * 1024
ACCEPTED = (
    "OTLP traces (JSON, JSON lines, protobuf), OpenTelemetry SDK spans, span lists, Jaeger and Zipkin JSON, "
    "MLflow traces (JSON, JSON lines), event logs (CSV, JSON lines) and request logs (CSV, JSON lines, "
    "Parquet), plain or with gzip or zstd"
)

_LOOK_FIRST = 64 * 1024
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_KNOWN_BINARY = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a zip archive (unpack it first)",
    b"SQLite format 3": "an SQLite database",
    b"BZh": "bzip2 data (unpack it first)",
    b"\xfd7zXZ": "xz data (unpack it first)",
    b"\x7fELF": "a program",
    b"\xff\xfe": "UTF-16 text (save it as UTF-8)",
    b"\xfe\xff": "UTF-16 text (save it as UTF-8)",
}
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")


@dataclass(frozen=True, slots=True)
class Detected:
    """A recognised file. ``container`` is json, jsonl, csv, parquet, protobuf or protobuf-delimited."""

    path: Path
    format: str
    container: str
    compression: str
    size: int

    def piece(self) -> Piece:
        """The whole file as one piece."""
        return Piece(str(self.path), self.format, self.container, self.compression)


FORMATS = (
    "otlp-json",
    "otlp-jsonl",
    "otlp-protobuf",
    "otel-sdk-json",
    "span-list",
    "jaeger",
    "zipkin",
    "mlflow-trace",
    "event-log",
    "request-log",
)
"""Formats that are read, by the name ``--format`` takes."""


def detect(path: Path, wanted: str | None = None) -> Detected:
    """Recognise a file by its content; ``wanted`` overrides the format but not container or compression.

    Raises UnknownFormatError naming the file, what was found and what is accepted; SourceError when
    the file cannot be opened.
    """
    if wanted is not None and wanted not in FORMATS:
        raise UnknownFormatError(f"{wanted!r} is no format; accepted are {', '.join(FORMATS)}")
    if not path.is_file():
        raise SourceError(f"{path.name}: {_what_else(path)}")
    size = path.stat().st_size
    compression = _compression_of(path)
    try:
        found, container = _classify(path, compression)
    except _UnreadError as unread:
        raise UnknownFormatError(_sentence(path, unread)) from None
    return Detected(path, wanted or found, container, compression, size)


def _what_else(path: Path) -> str:
    if path.is_dir():
        return "is a folder that cannot be opened"
    return "is not a file" if path.exists() else "does not exist"


class _UnreadError(Exception):
    """Carries what was found in a file that cannot be read."""

    def __init__(self, found: str, *, known: bool = False) -> None:
        super().__init__(found)
        self.found = found
        self.known = known


def _sentence(path: Path, unread: _UnreadError) -> str:
    if unread.found in shapes.RUNS:
        return f"{path.name}: holds {unread.found}, which `tailbudget runs import` reads"
    ending = "which this version does not read" if unread.known else "which is no trace export"
    return f"{path.name}: holds {unread.found}, {ending}; accepted are {ACCEPTED}"


def _compression_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be opened ({error.strerror})") from error
    return next((name for start, name in _COMPRESSED.items() if magic.startswith(start)), "none")


def _classify(path: Path, compression: str) -> tuple[str, str]:
    with opened(path, compression) as stream:
        head = stream.read(_LOOK_FIRST)
        whole = len(head) < _LOOK_FIRST
        if b"\n" not in head:  # one long line: read on to see whether it is the only one
            head += stream.read(HEAD_BYTES - len(head))
            return _classify_head(path, head, len(head) < HEAD_BYTES, compression)
        try:
            return _classify_head(path, head, whole, compression)
        except _UnreadError as unread:
            if whole or unread.known:
                raise
        head += stream.read(HEAD_BYTES - len(head))
    return _classify_head(path, head, len(head) < HEAD_BYTES, compression)


def _classify_head(path: Path, head: bytes, whole: bool, compression: str) -> tuple[str, str]:
    if not head:
        raise _UnreadError("nothing")
    for magic, name in _KNOWN_BINARY.items():
        if head.startswith(magic):
            raise _UnreadError(name, known=True)
    if head.startswith(b"PAR1"):
        return _of_table(classify_parquet(path, compression), "parquet")
    if not head.strip(b"\0"):
        raise _UnreadError("only zero bytes")
    text = _as_text(head, whole)
    if text is None:
        container = container_of(head, path.stat().st_size if compression == "none" else None)
        if container is None:
            raise _of_binary(head)
        return "otlp-protobuf", container
    return _classify_text(text, whole)


def _of_binary(head: bytes) -> _UnreadError:
    """What bytes are that are neither UTF-8 nor protobuf: named, where they can be told."""
    inside = next((name for start, name in _COMPRESSED.items() if head.startswith(start)), None)
    if inside is not None:
        return _UnreadError(f"{inside} data inside compressed data (unpack it once)", known=True)
    if len(head) > 3 and any(head[:64:2].strip(b"\0")) != any(head[1:64:2].strip(b"\0")):
        return _UnreadError("UTF-16 text (save it as UTF-8)", known=True)
    try:
        if _TEXT_CONTROLS.issuperset(byte for byte in set(head) if byte < 32):
            head.decode()
    except UnicodeDecodeError as error:
        words = f"text that is not UTF-8 from byte {error.start:,} on, such as Latin-1 (save it as UTF-8)"
        return _UnreadError(words, known=True)
    return _UnreadError("binary data of an unknown kind")


def _as_text(head: bytes, whole: bool) -> str | None:
    """The head as text without a byte order mark, or None when it is binary.

    What begins like JSON is text whatever follows, so that a damaged line is refused by its number.
    """
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return head.decode("utf-8-sig", "replace")
    if any(byte < 32 and byte not in _TEXT_CONTROLS for byte in set(head)):
        return None
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start >= len(head) - 3:  # the head ends inside a character
            return head[: error.start].decode("utf-8-sig")
        return None


def _classify_text(text: str, whole: bool) -> tuple[str, str]:
    body = text.lstrip()
    if not body:
        raise _UnreadError("only blank space")
    if body[0] in "{[":
        return _classify_json(body, whole)
    if _is_bare_json(body):
        raise _UnreadError(f"the bare JSON value {body.strip()[:40]}")
    return _of_table(classify_table(text), "csv")


def _is_bare_json(body: str) -> bool:
    try:
        msgspec.json.decode(body)
    except msgspec.DecodeError:
        return False
    return True


def _classify_json(body: str, whole: bool) -> tuple[str, str]:
    container = "jsonl" if _is_lines(body, whole) else "json"
    try:
        value = decode_prefix(body)
    except TooDeepError as error:
        raise _UnreadError(f"JSON {error} levels", known=True) from None
    except ValueError as error:
        if shapes.looks_like_mlflow_traces(body):  # one broken trace is refused where it stands
            return "mlflow-trace", container
        raise _UnreadError(f"text that begins like JSON but is none ({error})") from None
    if not value:
        raise _UnreadError("an empty JSON list" if value == [] else "an empty JSON object")
    shape = shapes.format_of(value)
    if shape is None:
        raise _UnreadError(_describe(value))
    if not shape.is_read:
        raise _UnreadError(shape.name, known=True)
    if shape.name == "otlp":
        return f"otlp-{container}", container
    return shape.name, container


def _describe(value: object) -> str:
    if isinstance(value, dict):
        names = ", ".join(f'"{str(name)[:30]}"' for name in list(value)[:5])
        return f"a JSON object with the names {names}"
    return "a JSON list of something else"


def _is_lines(body: str, whole: bool) -> bool:
    """Whether each line is a JSON value of its own."""
    first, newline, rest = body.partition("\n")
    if not newline:
        return not whole
    try:
        msgspec.json.decode(first)
    except (msgspec.DecodeError, RecursionError):
        return False
    return bool(rest.strip()) or not whole


def _of_table(found: tuple[str | None, str], container: str) -> tuple[str, str]:
    name, words = found
    if name is None:
        raise _UnreadError(words, known=not words.startswith("text"))
    return name, container
