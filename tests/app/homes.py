"""Homes with little in them, filled through the real import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from budget_model.services.import_report import ImportReport
from budget_model.services.importing import import_files
from budget_model.settings import load_settings

HOSTILE = ("<script>alert(1)</script>", "**bold**", "[x](javascript:1)", "שלום עולם", ":smile: $x$")
"""Labels that would be more than text if they were let."""

START_NS = 1_796_083_200_000_000_000
MS = 1_000_000


def import_into(home: Path, *paths: Path) -> ImportReport:
    """Import files into ``home``, in this process alone."""
    settings = load_settings(home, {"TAILBUDGET_WORKERS": "1"})
    report = import_files(settings, paths)
    assert report.failures == ()
    return report


def request_log(path: Path, tenants: tuple[str, ...], each: int = 80, prefix: str = "r") -> Path:
    """JSON lines, ``each`` requests a tenant, one a minute, 1 ms longer each; one in forty failed."""
    rows = [
        {
            "request_id": f"{prefix}-{t}-{i}",
            "start_time": f"2026-11-{1 + i // 1440:02d}T{i // 60 % 24:02d}:{i % 60:02d}:00Z",
            "workload": "chat",
            "tenant": tenant,
            "e2e_ms": 1000 + i,
            "queue_ms": 40 + i,
            "prefill_ms": 300,
            "decode_ms": 650,
            "outcome": "failed" if i % 40 == 39 else "ok",
        }
        for t, tenant in enumerate(tenants)
        for i in range(each)
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def traces(path: Path, spans: int, name: str = "vector.search", tenant: str = "acme") -> Path:
    """One OTLP trace of a root, ``spans`` - 2 sequential children and one asynchronous one."""
    children = [_span(i, "01", name, 10 * i, 10 * i + 9) for i in range(2, spans)]
    follower = _span(spans, "01", "audit.write", 5, 5000)
    follower["kind"] = 4
    root = _span(1, "", "chat.request", 0, 10 * spans + 20)
    document = {
        "resourceSpans": [
            {
                "resource": {
                    "attributes": [_attribute("service.name", name), _attribute("tenant.id", tenant)]
                },
                "scopeSpans": [{"spans": [root, *children, follower]}],
            }
        ]
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


TRACE_ID = "5b8efff798038103d269b633813fc60c"


def _span(number: int, parent: str, name: str, start_ms: int, end_ms: int) -> dict[str, Any]:
    return {
        "traceId": TRACE_ID,
        "spanId": f"{number:016x}",
        "parentSpanId": parent and f"{int(parent, 16):016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START_NS + start_ms * MS),
        "endTimeUnixNano": str(START_NS + end_ms * MS),
        "attributes": [_attribute("note", name)],
        "status": {},
    }


def _attribute(name: str, value: str) -> dict[str, Any]:
    return {"key": name, "value": {"stringValue": value}}
