"""The example sends everything that is asked of a service, and what it would lack without."""

from __future__ import annotations

import json
from pathlib import Path

from budget_model.services.coverage import Coverage, service_coverage
from budget_model.services.importing import import_files
from budget_model.services.workspace import Workspace
from examples.rag_service.client import ask_all, questions
from tests.examples.test_rag_service import asking
from tests.services.homes import home

STAGES = ("prefill", "decode")
"""Spans that tell prefill from decode as the event does."""


def covered(folder: Path, export: Path) -> Coverage:
    at = home(folder, workers=1)
    import_files(at, [export])
    workspace = Workspace(at)
    try:
        return service_coverage(workspace)
    finally:
        workspace.close()


def without_first_token(export: Path, name: str, *, stages: bool) -> Path:
    """The same export without events, and without the spans of the stages if they go too."""
    lines = []
    for line in export.read_text().splitlines():
        document = json.loads(line)
        for scope in (scope for one in document["resourceSpans"] for scope in one["scopeSpans"]):
            scope["spans"] = [one for one in scope["spans"] if not (stages and one["name"] in STAGES)]
            for one in scope["spans"]:
                one.pop("events", None)
        lines.append(json.dumps(document))
    path = export.with_name(name)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_nothing_is_missing_of_the_example_until_its_first_token_is_taken_away(tmp_path: Path) -> None:
    with asking(tmp_path) as client:
        assert None not in ask_all(client, questions(6), 3)
    export = tmp_path / "otlp.jsonl"
    found = covered(tmp_path / "whole", export)
    server, client_side = found.services
    assert (server.service, client_side.service) == ("rag-server", "rag-client")
    assert (server.calls, server.first_tokens, server.requests.ok) == (6, 6, 6)
    assert [gap.sentence for one in found.services for gap in one.gaps] == []
    eventless = covered(tmp_path / "eventless", without_first_token(export, "a.jsonl", stages=False))
    assert eventless.of("rag-server").first_tokens == 0
    assert [one.gaps for one in eventless.services] == [(), ()]
    bare = covered(tmp_path / "bare", without_first_token(export, "b.jsonl", stages=True))
    assert [gap.sentence for one in bare.services for gap in one.gaps] == [
        "no first-token event: prefill and decode cannot be told apart for 6 of 6 model calls"
    ]
