"""The awkward files, imported by the command into a home of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.commands.homes import answer

DATA = Path(__file__).parents[1] / "data"
STREAMS = DATA / "event_log" / "first_token.jsonl"
SKEWED = DATA / "cases" / "H03-clock-skew-negative.otlp.json"
REPEATED = DATA / "otlp_json" / "exported_again.otlp.jsonl"
SPELLINGS = DATA / "otlp_json" / "every_spelling.otlp.json"
PARALLEL = DATA / "jaeger" / "parallel_children.json"
SPREADSHEET = DATA / "request_log" / "bom_crlf_mixed_units.csv"
EVERY_FILE = (STREAMS, SKEWED, REPEATED, SPELLINGS, PARALLEL, SPREADSHEET)


def totals(home: Path, *paths: Path) -> dict[str, int]:
    """Import and return what the command counted."""
    found: dict[str, int] = answer(home, "import", *map(str, paths))["totals"]
    return found


def figures(home: Path, *metrics: str, by: str | None = None) -> dict[str, Any]:
    """Rows of ``percentiles`` by metric, or by group and metric."""
    asked = [part for metric in metrics for part in ("--metric", metric)]
    rows = answer(home, "percentiles", *asked, *(("--by", by) if by else ()))["rows"]
    return {row["group"][by] if by else row["metric"]: row for row in rows}
