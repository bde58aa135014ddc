"""The example service, without a tracing server: what it does, and what its refusals look like."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from budget_model.services.importing import import_files
from examples.rag_service import answering
from examples.rag_service.answering import RefusedError, Slots
from examples.rag_service.client import Client, Question, ask_all, questions
from examples.rag_service.generator import Generator, words_of
from examples.rag_service.options import tracing_of
from examples.rag_service.search import Index, read_documents
from examples.rag_service.server import Server
from examples.rag_service.stopwatch import Laps, Records
from tests.services.homes import home, requests_of


@contextmanager
def asking(folder: Path) -> Iterator[Client]:
    """A client of a running server; both trace to one OTLP file."""
    given = Namespace(mlflow=None, otlp=str(folder / "otlp.jsonl"))
    service = tracing_of(given, {"service.name": "rag-server", "cloud.region": "here"})
    caller = tracing_of(given, {"service.name": "rag-client"})
    server = Server(0, 2, service, Records(None))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield Client(f"http://127.0.0.1:{server.server_port}", caller, Records(None))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        service.close()
        caller.close()


@pytest.mark.parametrize("changes", [{"key": "wrong"}, {"key": ""}, {"workload": "poem"}])
def test_a_refused_request_is_a_failed_one_and_the_next_is_answered(
    tmp_path: Path, changes: dict[str, str]
) -> None:
    [asked] = questions(1)
    with asking(tmp_path) as client:
        refused = client.ask(replace(asked, **changes))
        answered = client.ask(asked)
    assert refused is None
    assert answered is not None
    at = home(tmp_path / "home")
    import_files(at, [tmp_path / "otlp.jsonl"])
    assert sorted(requests_of(at).column("outcome").to_pylist()) == ["failed", "ok"]


def test_answers_quote_the_passage_that_the_question_is_about(tmp_path: Path) -> None:
    asked = Question("How does a queue form when slots are busy?", "acme", "key-of-acme", "question", "1")
    with asking(tmp_path) as client:
        [answer] = ask_all(client, [asked], 1)
    assert answer is not None
    assert "from: Queues form before saturation" in answer


def test_a_question_finds_its_passage_first() -> None:
    index = Index(read_documents())
    assert len(index.passages) > 10
    for passage in index.passages:
        first_sentence = passage.text.split(".")[0]
        assert index.nearest(index.embed(first_sentence), 3)[0] == passage


def test_the_generator_says_the_same_again_and_only_what_stood_in_the_prompt() -> None:
    prompt = words_of("The queue grows . The queue grows without bound . Question : why ? The queue")
    said = []
    for _ in range(2):
        state, word = Generator().prefill(prompt)
        said.append([word, *(Generator().step(state) for _ in range(5))])
    assert said[0] == said[1]
    assert said[0][0] == "grows"
    assert set(said[0]) <= set(prompt)


def test_a_request_that_finds_too_many_waiting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = Slots(1)
    slots.take()
    monkeypatch.setattr(answering, "MOST_WAITING", 0)
    with pytest.raises(RefusedError, match="wait already"):
        slots.take()


def test_every_moment_on_the_stopwatch_belongs_to_one_hop() -> None:
    laps = Laps("gateway")
    for hop in ("queue", "prefill", "gateway"):
        laps.to(hop)
    laps.stop()
    assert sum(laps.by_hop_ns.values()) == laps.end_ns - laps.start_ns
    assert list(laps.by_hop_ns) == ["gateway", "queue", "prefill"]


def test_tracing_libraries_are_loaded_only_when_chosen() -> None:
    line = "import sys, examples.rag_service.server, examples.rag_service.client as c\n"
    line += "print(sorted({'mlflow', 'opentelemetry', 'requests'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", line],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "[]"
