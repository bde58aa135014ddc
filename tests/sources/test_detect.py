from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from budget_model.errors import SourceError, UnknownFormatError
from budget_model.sources.detect import FORMATS, HEAD_BYTES, detect

DATA = Path(__file__).parent.parent / "data"
OTLP: dict[str, Any] = {"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}
SDK_SPAN = {"name": "n", "context": {"trace_id": "0x1", "span_id": "0x2"}, "kind": "SpanKind.INTERNAL"}
FLAT_SPAN = {"trace_id": "t", "span_id": "s", "name": "n", "start_time": "2026-12-01T00:00:00Z"}
JAEGER = {"traceID": "1", "spans": [{"traceID": "1", "spanID": "2"}], "processes": {}}
ZIPKIN = [{"traceId": "1", "id": "2", "timestamp": 1}]
EVENT = {"request_id": "r", "ts_unix_nano": "1", "event": "request_sent"}


def put(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "anything.dat"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def in_lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@pytest.mark.parametrize(
    ("content", "format_name", "container"),
    [
        (OTLP, "otlp-json", "json"),
        (json.dumps(OTLP, indent=1).encode(), "otlp-json", "json"),
        (in_lines(OTLP, OTLP), "otlp-jsonl", "jsonl"),
        (in_lines(OTLP, OTLP).replace(b"\n", b"\r\n"), "otlp-jsonl", "jsonl"),
        ({"resource_spans": []} | {"x": 1}, "otlp-json", "json"),
        ([SDK_SPAN], "otel-sdk-json", "json"),
        (SDK_SPAN, "otel-sdk-json", "json"),
        (in_lines(SDK_SPAN, SDK_SPAN), "otel-sdk-json", "jsonl"),
        ({"trace_id": "t", "spans": [FLAT_SPAN]}, "span-list", "json"),
        ([FLAT_SPAN], "span-list", "json"),
        ({"data": [JAEGER]}, "jaeger", "json"),
        ({"data": JAEGER}, "jaeger", "json"),
        (JAEGER, "jaeger", "json"),
        (ZIPKIN, "zipkin", "json"),
        ([ZIPKIN], "zipkin", "json"),
        (in_lines(EVENT, EVENT), "event-log", "jsonl"),
        (b"request_id,ts,event\nr,1,end\n", "event-log", "csv"),
        (
            in_lines({"request_id": "r", "e2e_ms": 4}, {"request_id": "q", "e2e_ms": 4}),
            "request-log",
            "jsonl",
        ),
        (b"\xef\xbb\xbfrequest_id,duration,duration_unit\r\nr,1,s\r\n", "request-log", "csv"),
        (b"request_id;queue_ms;decode_ms\nr;1;2\n", "request-log", "csv"),
        (
            b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n",
            "request-log",
            "csv",
        ),
    ],
)
def test_each_format_is_known_by_its_content(
    tmp_path: Path, content: Any, format_name: str, container: str
) -> None:
    path = put(tmp_path, content)
    found = detect(path)
    assert (found.format, found.container, found.compression) == (format_name, container, "none")
    assert found.format in FORMATS
    assert found.size == path.stat().st_size


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_compression_is_known_by_its_first_bytes(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    found = detect(put(tmp_path, pack(in_lines(OTLP, OTLP))))
    assert (found.format, found.compression) == ("otlp-jsonl", name)


def test_a_parquet_file_is_known_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "f"
    pq.write_table(pa.table({"request_id": ["a"], "e2e_s": [1.0]}), path)
    assert (detect(path).format, detect(path).container) == ("request-log", "parquet")
    pq.write_table(pa.table({"run_id": ["a"], "metrics.x": [1.0]}), path)
    with pytest.raises(UnknownFormatError, match="an MLflow run table, which `tailbudget runs import` reads"):
        detect(path)


def test_one_long_line_is_a_document_and_two_are_lines(tmp_path: Path) -> None:
    long = OTLP | {"filler": "x" * 200_000}
    assert detect(put(tmp_path, long)).format == "otlp-json"
    assert detect(put(tmp_path, in_lines(long, OTLP))).format == "otlp-jsonl"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "nothing"),
        (b" \n\n ", "only blank space"),
        (b"null", "the bare JSON value null"),
        (b"123", "the bare JSON value 123"),
        (b"[]", "an empty JSON list"),
        (b"{}", "an empty JSON object"),
        ({"colour": 1}, 'a JSON object with the names "colour"'),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"PK\x03\x04\0", "a zip archive (unpack it first)"),
        (bytes(300_000), "only zero bytes"),
        (bytes([1, 200, 7]) * 999, "binary data of an unknown kind"),
        ("request_id,e2e_ms\n".encode("utf-16-le"), "UTF-16 text"),
        ("request_id,e2e_ms\n".encode("utf-16-be"), "UTF-16 text"),
        ("request_id,e2e_ms,größe\n".encode("latin-1"), "text that is not UTF-8 from byte 20 on"),
        (
            gzip.compress(gzip.compress(b"request_id,e2e_ms\n", mtime=0), mtime=0),
            "gzip data inside compressed data",
        ),
        (b"some words\nand more\n", "text beginning 'some words'"),
        (b"a,b\n1,2\n", "a table with the columns a, b"),
        ("{}".encode("utf-16"), "UTF-16 text (save it as UTF-8)"),
        (b"[" * 100_000, "JSON nested deeper than 200 levels"),
        (b'{"a":' * 100_000, "JSON nested deeper than 200 levels"),
        (b"x" * 400_000, "text beginning 'xxxx"),
        (b"PAR1 and no more", "a damaged Parquet file"),
        (gzip.compress(b"", mtime=0), "nothing"),
    ],
)
def test_what_is_no_export_is_refused_in_one_sentence(tmp_path: Path, content: Any, found: str) -> None:
    with pytest.raises(UnknownFormatError) as refused:
        detect(put(tmp_path, content))
    sentence = str(refused.value)
    assert sentence.startswith("anything.dat: holds ")
    assert found in sentence
    assert "; accepted are OTLP traces" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (
            {"num_prompts": 5, "request_rate": "inf", "request_throughput": 1.0},
            "a vLLM or SGLang benchmark result",
        ),
        ({"metadata": {"version": 1}, "args": {}, "benchmarks": []}, "a GuideLLM benchmark report"),
        ({"schema_version": "1.4", "aiperf_version": "0.13.0"}, "an AIPerf summary"),
        (in_lines({"metadata": {"x_request_id": "1"}, "metrics": {}}), "an AIPerf record export"),
        ([{"error_code": None, "inter_token_latency_s": 0.1}], "an LLMPerf result"),
        ({"load_summary": {"count": 1}}, "an inference-perf report"),
        ({"resourceMetrics": []}, "an OTLP metrics export"),
        (b"Metric,avg,min\nx,1,2\n", "an AIPerf summary table"),
        (b"conc,mean_ttft_ms\n1,2\n", "a load-test summary table"),
    ],
)
def test_a_known_report_that_is_not_read_is_refused_by_its_name(
    tmp_path: Path, content: Any, name: str
) -> None:
    with pytest.raises(UnknownFormatError, match=f"holds {name}, which this version does not read"):
        detect(put(tmp_path, content))


def test_only_a_bounded_head_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(1024**3)  # sparse: a gigabyte of zeros
    with pytest.raises(UnknownFormatError, match="only zero bytes"):
        detect(path)
    late = put(tmp_path, b'{"filler": "' + b"x" * HEAD_BYTES + b'", "resourceSpans": []}')
    with pytest.raises(UnknownFormatError):
        detect(late)


def test_the_format_can_be_given_when_it_is_a_known_one(tmp_path: Path) -> None:
    path = put(tmp_path, b"request_id,ts,event\nr,1,end\n")
    assert detect(path, "request-log").format == "request-log"
    with pytest.raises(UnknownFormatError, match="'csv' is no format; accepted are otlp-json"):
        detect(path, "csv")


def test_a_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a folder"):
        detect(tmp_path)
    with pytest.raises(SourceError, match="gone: does not exist"):
        detect(tmp_path / "gone")


def test_real_otlp_files_are_known() -> None:
    found = {path.name: detect(path).format for path in (DATA / "otlp_json").glob("*.json*")}
    assert len(found) == 9
    assert {name for name, kind in found.items() if kind == "otlp-jsonl"} == {
        "monocle_all.otlp.jsonl",
        "exported_again.otlp.jsonl",
    }
    assert set(found.values()) == {"otlp-json", "otlp-jsonl"}
