"""What the server does with a request: admit, retrieve, wait for a slot, prefill, decode, finish.

Each hop is one span with a name that needs no rules, and one lap of the service's own stopwatch.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import BoundedSemaphore, Lock

from examples.rag_service import prompts
from examples.rag_service.generator import Generator, State, words_of
from examples.rag_service.search import Index, Passage, read_documents
from examples.rag_service.stopwatch import Laps
from examples.rag_service.tracing import SpanHandle, Tracing

MODEL = "tiny-rag"
KEYS = {"acme": "key-of-acme", "borealis": "key-of-borealis", "cobalt": "key-of-cobalt"}
"""Tenants and their keys. A real service would not keep them in its code."""

MOST_WAITING = 64

Send = Callable[[str], None]


class RefusedError(Exception):
    """A request that is not answered, with the HTTP status that says why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Ask:
    """One request as it came in."""

    request_id: str
    tenant: str
    key: str
    workload: str
    prompt_version: str
    question: str


@dataclass(slots=True)
class Answer:
    """What is sent when the stream ends, and when the first token came (ns since the epoch)."""

    text: str = ""
    sources: list[str] = field(default_factory=list)
    prompt_tokens: int = 0
    output_tokens: int = 0
    first_token_ns: int | None = None


class Slots:
    """So many requests are generated at once; the others wait, and beyond a bound they are refused."""

    def __init__(self, slots: int) -> None:
        self._slots = BoundedSemaphore(slots)
        self._lock = Lock()
        self._waiting = 0

    def take(self) -> None:
        """Wait for a slot. Raises RefusedError when too many wait already."""
        with self._lock:
            if self._waiting >= MOST_WAITING:
                raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_WAITING} requests wait already")
            self._waiting += 1
        self._slots.acquire()
        with self._lock:
            self._waiting -= 1

    def give_back(self) -> None:
        """Let the next one in."""
        self._slots.release()


class Service:
    """Everything that requests share."""

    def __init__(self, tracing: Tracing, slots: int) -> None:
        self._tracing = tracing
        self._index = Index(read_documents())
        self._generator = Generator()
        self._slots = Slots(slots)

    def answer(self, ask: Ask, laps: Laps, gateway: SpanHandle, send: Send) -> Answer:
        """Answer below the span ``gateway``, sending each token as it comes. Raises RefusedError.

        ``laps`` runs in ``gateway`` and is left running there.
        """
        workload = _admit(ask)
        passages = self._retrieve(ask, workload.passages, laps, gateway)
        words = words_of(prompts.render(ask.prompt_version, ask.question, passages))
        answer = self._generate(words, workload.answer_tokens, laps, gateway, send)
        post = self._tracing.begin("postprocess", laps.to("postprocess"), {}, gateway)
        _finish(answer, passages)
        post.end(laps.to("gateway"))
        return answer

    def _retrieve(self, ask: Ask, count: int, laps: Laps, gateway: SpanHandle) -> list[Passage]:
        at_ns = laps.to("retrieval")
        retrieve = self._tracing.begin("retrieve", at_ns, {}, gateway)
        embed = self._tracing.begin("embed_query", at_ns, {}, retrieve)
        vector = self._index.embed(ask.question)
        at_ns = laps.to("retrieval")
        embed.end(at_ns)
        search = self._tracing.begin("vector.search", at_ns, {"db.vector.query.top_k": count}, retrieve)
        passages = self._index.nearest(vector, count)
        at_ns = laps.to("gateway")
        search.end(at_ns)
        retrieve.end(at_ns)
        return passages

    def _generate(
        self, words: Sequence[str], most: int, laps: Laps, gateway: SpanHandle, send: Send
    ) -> Answer:
        at_ns = laps.to("queue")
        known = {"gen_ai.operation.name": "chat", "gen_ai.request.model": MODEL}
        call = self._tracing.begin(f"chat {MODEL}", at_ns, known, gateway)
        queue = self._tracing.begin("queue", at_ns, {}, call)
        try:
            self._slots.take()
        except RefusedError as refused:
            queue.fail(str(refused))
            call.fail(str(refused))
            at_ns = laps.to("gateway")
            queue.end(at_ns)
            call.end(at_ns)
            raise
        try:
            at_ns = laps.to("prefill")
            queue.end(at_ns)
            answer = self._in_slot(words, most, laps, call, at_ns, send)
        finally:
            at_ns = laps.to("gateway")
            self._slots.give_back()
            call.end(at_ns)
        return answer

    def _in_slot(
        self, words: Sequence[str], most: int, laps: Laps, call: SpanHandle, at_ns: int, send: Send
    ) -> Answer:
        prefill = self._tracing.begin("prefill", at_ns, {}, call)
        state, word = self._generator.prefill(words)
        at_ns = laps.to("decode")
        prefill.end(at_ns)
        call.event("gen_ai.first_token", at_ns)
        decode = self._tracing.begin("decode", at_ns, {}, call)
        try:
            said = self._decode(state, word, most, send)
        finally:
            decode.end(laps.to("gateway"))
        call.set({"gen_ai.usage.input_tokens": len(words), "gen_ai.usage.output_tokens": len(said)})
        return Answer(" ".join(said), [], len(words), len(said), at_ns)

    def _decode(self, state: State, word: str, most: int, send: Send) -> list[str]:
        said = [word]
        send(word)
        while len(said) < most:
            said.append(self._generator.step(state))
            send(said[-1])
        return said


def _admit(ask: Ask) -> prompts.Workload:
    """Authenticate and route."""
    if not hmac.compare_digest(KEYS.get(ask.tenant, "").encode(), ask.key.encode()) or not ask.key:
        raise RefusedError(HTTPStatus.UNAUTHORIZED, "no such tenant and key")
    if ask.workload not in prompts.WORKLOADS or ask.prompt_version not in prompts.VERSIONS:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "no such workload or prompt version")
    return prompts.WORKLOADS[ask.workload]


def _finish(answer: Answer, passages: Sequence[Passage]) -> None:
    """Tidy the text and find the passages it quotes."""
    answer.text = re.sub(r" ([.,:;?!])", r"\1", answer.text)
    pieces = re.findall(r"\w+ \w+ \w+", answer.text)
    answer.sources = [one.title for one in passages if any(piece in one.text for piece in pieces)]
