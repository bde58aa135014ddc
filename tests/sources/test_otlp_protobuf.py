from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, ReadOptions
from budget_model.sources import otlp_protobuf
from budget_model.sources.detect import detect


def traces(services: int) -> TracesData:
    span = Span(trace_id=b"\xab" * 16, span_id=b"\xcd" * 8, name="op", start_time_unix_nano=1)
    entry = ResourceSpans(scope_spans=[ScopeSpans(spans=[span])])
    return TracesData(resource_spans=[entry] * services)


def write(path: Path, *messages: TracesData, delimited: bool) -> Path:
    contents = [message.SerializeToString() for message in messages]
    prefixes = [len(content).to_bytes(4, "big") if delimited else b"" for content in contents]
    path.write_bytes(b"".join(part for pair in zip(prefixes, contents, strict=True) for part in pair))
    return path


def read(piece: Piece, options: ReadOptions | None = None) -> list[bytes]:
    return [item.payload for item in otlp_protobuf.read(piece, options or ReadOptions())]


@pytest.mark.parametrize(("delimited", "container"), [(False, "protobuf"), (True, "protobuf-delimited")])
def test_both_layouts_are_known_and_walked_to_the_end(
    tmp_path: Path, delimited: bool, container: str
) -> None:
    path = write(tmp_path / "f", traces(3), traces(200), delimited=delimited)
    found = detect(path)
    assert (found.format, found.container) == ("otlp-protobuf", container)
    assert read(found.piece()) == [traces(1).resource_spans[0].SerializeToString()] * 203


def test_a_gzipped_file_is_walked_too(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(gzip.compress(traces(2).SerializeToString()))
    assert detect(path).format == "otlp-protobuf"
    assert len(read(detect(path).piece())) == 2


@pytest.mark.parametrize("delimited", [False, True])
@pytest.mark.parametrize("missing", [1, 20, 45])
def test_half_a_file_is_an_error_that_names_it(tmp_path: Path, delimited: bool, missing: int) -> None:
    path = write(tmp_path / "half", traces(3), delimited=delimited)
    piece = detect(path).piece()
    path.write_bytes(path.read_bytes()[:-missing])
    with pytest.raises(SourceError, match="half: no whole OTLP protobuf file: the file ends in the middle"):
        read(piece)


def test_another_message_after_the_first_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(traces(1).SerializeToString() + b"\x12\x01x")
    with pytest.raises(SourceError, match=r"field tag 0x12 where 0x0a \(resource_spans\) is due"):
        read(detect(path).piece())


def test_one_resource_over_the_limit_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "f", traces(1), delimited=False)
    with pytest.raises(SourceError, match="is more than the 10 allowed"):
        read(detect(path).piece(), ReadOptions(max_document_bytes=10))
