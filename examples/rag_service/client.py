"""The client: ``python -m examples.rag_service.client``. It asks, so many at a time, and reads."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from itertools import product
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from examples.rag_service import prompts
from examples.rag_service.answering import KEYS
from examples.rag_service.options import add_options, tracing_of
from examples.rag_service.server import PATH
from examples.rag_service.stopwatch import Laps, Records
from examples.rag_service.tracing import CLIENT, Tracing

SERVICE = "rag-client"
TIMEOUT_S = 60
QUESTIONS = (
    "Why is the sum of the p99s of the hops not the p99 of the request?",
    "What does a new version of the prompt change?",
    "How does a queue form when there are two slots?",
    "What can I do about a tenant with very long prompts?",
    "Which work on the critical path is worth shortening?",
)


@dataclass(frozen=True, slots=True)
class Question:
    """One request to be made."""

    text: str
    tenant: str
    key: str
    workload: str
    prompt_version: str


class Client:
    """Asks the server at ``url`` and writes down what it measured."""

    def __init__(self, url: str, tracing: Tracing, records: Records) -> None:
        self._host = urlsplit(url).netloc
        self._tracing = tracing
        self._records = records

    def ask(self, question: Question) -> str | None:
        """The answer as shown to the reader; None when the server refused or the connection broke."""
        request_id = str(uuid4())
        laps = Laps("client")
        root = self._tracing.begin("client", laps.start_ns, _known(question, request_id))
        body = _body(question)
        exchange = self._tracing.begin("network.request", laps.to("exchange"), {}, root, CLIENT)
        headers = {"x-request-id": request_id, "x-tenant": question.tenant, "x-api-key": question.key}
        problem, events = "", []
        try:
            events = self._exchange(body, headers | exchange.headers())
        except (OSError, HTTPException) as failed:
            problem = str(failed)
            exchange.fail(problem)
            root.fail(problem)
        exchange.end(laps.to("client"))
        shown = None if problem else _render(events)
        root.end(laps.stop())
        self._records.write("client", request_id, laps, trace_ids=root.trace_ids, problem=problem)
        return shown

    def _exchange(self, body: bytes, headers: dict[str, str]) -> list[dict[str, Any]]:
        """Send and read the stream to its last event."""
        connection = HTTPConnection(self._host, timeout=TIMEOUT_S)
        try:
            connection.request("POST", PATH, body, {"Content-Type": "application/json", **headers})
            response = connection.getresponse()
            if response.status != 200:
                raise HTTPException(f"{response.status} {response.reason}")
            events = [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]
        finally:
            connection.close()
        if not events or "sources" not in events[-1]:
            raise HTTPException("the stream ended before its last event")
        return events


def _known(question: Question, request_id: str) -> dict[str, str]:
    return {"workload": question.workload, "tenant.id": question.tenant, "request.id": request_id}


def _body(question: Question) -> bytes:
    fields = ("workload", question.workload), ("prompt_version", question.prompt_version)
    return json.dumps({"question": question.text, **dict(fields)}).encode()


def _render(events: list[dict[str, Any]]) -> str:
    done = events[-1]
    return f"{done['text']}\n  from: {', '.join(done['sources']) or 'nothing in particular'}"


def questions(count: int) -> list[Question]:
    """``count`` requests that go round all tenants, classes of work and prompt versions."""
    kinds = list(product(prompts.VERSIONS, prompts.WORKLOADS, sorted(KEYS)))
    return [
        Question(QUESTIONS[place % len(QUESTIONS)], tenant, KEYS[tenant], workload, version)
        for place in range(count)
        for version, workload, tenant in (kinds[place % len(kinds)],)
    ]


def ask_all(client: Client, asked: Iterable[Question], concurrency: int) -> list[str | None]:
    """The answers; ``concurrency`` requests are under way until none is left."""
    with ThreadPoolExecutor(concurrency) as pool:
        return list(pool.map(client.ask, asked))


def main() -> None:
    """Ask and show the last answer."""
    parser = ArgumentParser(prog="python -m examples.rag_service.client", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8090")
    parser.add_argument("--requests", type=int, default=24, help="how many at each concurrency")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[4], help="one after the other")
    add_options(parser)
    given = parser.parse_args()
    tracing, records = tracing_of(given, {"service.name": SERVICE}), Records(given.record)
    client = Client(given.url, tracing, records)
    answers = [
        answer
        for concurrency in given.concurrency
        for answer in ask_all(client, questions(given.requests), concurrency)
    ]
    tracing.close()
    records.close()
    good = [answer for answer in answers if answer is not None]
    print(f"{len(good)} of {len(answers)} requests answered")
    if good:
        print(good[-1])


if __name__ == "__main__":
    main()
