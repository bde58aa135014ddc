"""The bundled samples do what their README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from budget_model.queries.filters import Filter
from budget_model.services.import_report import ImportReport
from budget_model.services.importing import import_files
from budget_model.services.workspace import Workspace
from budget_model.settings import load_settings

DATA = Path(__file__).parent.parent / "data"
LITELLM = "monocle_test_litellm_openai_sample"

# path below samples, format, records, ok, empty, incomplete, largest e2e in ms
EXPECTED = (
    ("otlp_json/opentelemetry_proto_trace.json", "otlp-json", 1, 0, 0, 1, None),
    (f"otlp_json/{LITELLM}.otlp.json", "otlp-json", 6, 2, 0, 0, 2158.905),
    ("otlp_json/monocle_two_exports.otlp.jsonl", "otlp-jsonl", 9, 3, 0, 0, 4822.830),
    (f"otel_sdk_json/{LITELLM}.json", "otel-sdk-json", 6, 2, 0, 0, 2158.905),
    ("otel_span_list/simple_chain.json", "span-list", 3, 3, 0, 0, 2500.0),
    ("jaeger_json/testTrace.json", "jaeger", 4, 1, 0, 0, 1181.596),
    ("jaeger_json/genaiTestTrace.json", "jaeger", 57, 1, 0, 0, 44_000.0),
    ("zipkin_json/yelp.json", "zipkin", 16, 1, 0, 0, 131.848),
    ("zipkin_json/skew.json", "zipkin", 4, 1, 0, 0, 99.411),
    ("request_log/llm_requests.csv", "request-log", 1000, 572, 428, 0, None),
    ("request_log/llm_requests.jsonl", "request-log", 1000, 572, 428, 0, None),
    ("request_log/llm_requests.parquet", "request-log", 1000, 572, 428, 0, None),
)


def load(home: Path, *names: str) -> tuple[Workspace, ImportReport]:
    settings = load_settings(home, {})
    report = import_files(settings, [DATA / "samples" / name for name in names])
    return Workspace(settings), report


@pytest.mark.parametrize(
    ("name", "format_name", "records", "ok", "empty", "incomplete", "most_ms"),
    EXPECTED,
    ids=[row[0] for row in EXPECTED],
)
def test_a_sample_imports_whole_and_gives_the_figures_its_readme_states(
    tmp_path: Path,
    name: str,
    format_name: str,
    records: int,
    ok: int,
    empty: int,
    incomplete: int,
    most_ms: float | None,
) -> None:
    workspace, report = load(tmp_path, name)
    assert [file.format for file in report.files] == [format_name]
    assert report.totals.records == report.totals.accepted == records
    counts = workspace.figures.counts(Filter())
    assert (counts.ok, counts.empty, counts.incomplete) == (ok, empty, incomplete)
    if most_ms is not None:
        [row] = workspace.figures.percentiles(Filter(), ("e2e",), (0.99,))
        assert row.estimates[0].value_ms == pytest.approx(most_ms, abs=0.001)
    workspace.close()


def test_the_same_requests_in_another_format_add_no_request(tmp_path: Path) -> None:
    names = [name for name, *_ in EXPECTED if LITELLM in name or name.startswith("request_log/")]
    workspace, report = load(tmp_path, *names)
    assert workspace.figures.counts(Filter()).total == 1_002
    logs = [file.counts for file in report.files if file.format == "request-log"]
    assert [(log.requests, log.already_known) for log in logs] == [(1_000, 0), (0, 1_000), (0, 1_000)]
    workspace.close()


def test_every_bundled_file_is_in_the_readme_and_every_file_of_the_readme_is_there() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    bundled = {path.relative_to(DATA / "samples").as_posix() for path in (DATA / "samples").rglob("*.*")}
    assert bundled == {name for name, *_ in EXPECTED}
    for name in bundled:
        assert name in text or (name.startswith("request_log/") and f"`{Path(name).suffix}`" in text), name
    assert set(re.findall(r"\w+_json/\w[\w.]*\.jsonl?", text)) <= bundled
