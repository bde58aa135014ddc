"""The outer layout of OTLP protobuf: recognised in a head, and walked without loading the file.

An ExportTraceServiceRequest and a TracesData are alike on the wire: field 1, a ResourceSpans, any
number of times. The collector's file exporter puts a 4-byte big-endian length before each message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

RESOURCE_SPANS_TAG = 0x0A
_LENGTH_BYTES = 4
_MAX_VARINT_BYTES = 10
_INNER_TAGS = (0x0A, 0x12, 0x1A)  # ResourceSpans: resource, scope_spans, schema_url


class WireError(ValueError):
    """The bytes are not laid out as OTLP protobuf."""


def container_of(head: bytes, size: int | None) -> str | None:
    """ "protobuf", "protobuf-delimited" or None; ``size`` is the file's, None when not known."""
    if _begins_message(head, size):
        return "protobuf"
    length = int.from_bytes(head[:_LENGTH_BYTES], "big")
    fits = size is None or length + _LENGTH_BYTES <= size
    if length and fits and _begins_message(head[_LENGTH_BYTES:], length):
        return "protobuf-delimited"
    return None


def _begins_message(head: bytes, size: int | None) -> bool:
    """Whether a ResourceSpans begins here whose first field fits into it."""
    try:
        if not head or head[0] != RESOURCE_SPANS_TAG:
            return False
        length, place = _varint(head, 1)
        if size is not None and place + length > size:
            return False
        if length == 0 or place >= len(head) or head[place] not in _INNER_TAGS:
            return False
        inner, _ = _varint(head, place + 1)
    except WireError:
        return False
    return inner <= length


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(_MAX_VARINT_BYTES):
        if place >= len(data):
            break
        byte = data[place]
        value |= (byte & 0x7F) << (7 * shift)
        place += 1
        if byte < 0x80:
            return value, place
    raise WireError("a length is cut short")


def resource_spans(stream: BinaryIO, max_bytes: int, left: int | None = None) -> Iterator[bytes]:
    """The bytes of each ResourceSpans of one message: of ``left`` bytes, or up to the end of the stream.

    Raises WireError when a message is cut short, is another message, or is longer than ``max_bytes``.
    """
    while left is None or left > 0:
        tag = stream.read(1)
        if not tag:
            if left:
                raise WireError("the file ends in the middle of a message")
            return
        if tag[0] != RESOURCE_SPANS_TAG:
            raise WireError(f"field tag {tag[0]:#04x} where 0x0a (resource_spans) is due")
        length, used = _read_varint(stream)
        if length > max_bytes:
            raise WireError(f"one ResourceSpans of {length:,} bytes is more than the {max_bytes:,} allowed")
        content = stream.read(length)
        if len(content) < length:
            raise WireError("the file ends in the middle of a message")
        left = None if left is None else left - 1 - used - length
        yield content


def delimited(stream: BinaryIO, max_bytes: int) -> Iterator[bytes]:
    """The bytes of each ResourceSpans of a file of length-prefixed messages. Raises WireError likewise."""
    while prefix := stream.read(_LENGTH_BYTES):
        if len(prefix) < _LENGTH_BYTES:
            raise WireError("the file ends in the middle of a length")
        yield from resource_spans(stream, max_bytes, int.from_bytes(prefix, "big"))


def _read_varint(stream: BinaryIO) -> tuple[int, int]:
    value = 0
    for shift in range(_MAX_VARINT_BYTES):
        byte = stream.read(1)
        if not byte:
            break
        value |= (byte[0] & 0x7F) << (7 * shift)
        if byte[0] < 0x80:
            return value, shift + 1
    raise WireError("the file ends in the middle of a message")
