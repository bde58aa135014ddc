"""The server: ``python -m examples.rag_service.server``. It streams an answer as server-sent events."""

from __future__ import annotations

import json
import signal
from argparse import ArgumentParser
from contextlib import suppress
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import FrameType
from typing import Any

from examples.rag_service import prompts
from examples.rag_service.answering import Answer, Ask, RefusedError, Service
from examples.rag_service.options import add_options, tracing_of
from examples.rag_service.stopwatch import Laps, Records
from examples.rag_service.tracing import SERVER, SpanHandle, Tracing

SERVICE = "rag-server"
PATH = "/v1/answers"
MOST_BYTES = 100_000


class Server(ThreadingHTTPServer):
    """A thread a connection, a connection a request."""

    request_queue_size = 128
    # Requests under way are finished before the server closes, and their spans sent.
    daemon_threads = False

    def __init__(self, port: int, slots: int, tracing: Tracing, records: Records) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.tracing = tracing
        self.records = records
        self.service = Service(tracing, slots)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 60
    _headers_sent = False

    def do_POST(self) -> None:
        laps = Laps("gateway")
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.tracing.received(headers):
            gateway = self.server.tracing.begin("gateway", laps.start_ns, {"http.route": PATH}, kind=SERVER)
            answer = self._handle(headers, laps, gateway)
        request_id = headers.get("x-request-id", "")
        first_ns = answer.first_token_ns if answer else None
        self.server.records.write(
            "server", request_id, laps, trace_ids=gateway.trace_ids, first_token_ns=first_ns
        )

    def _handle(self, headers: dict[str, str], laps: Laps, gateway: SpanHandle) -> Answer | None:
        """Answer and end the span; the last event goes out after it, so the client's span outlasts it."""
        try:
            ask = self._read(headers)
            gateway.set({"gen_ai.prompt.name": prompts.NAME, "gen_ai.prompt.version": ask.prompt_version})
            answer = self.server.service.answer(ask, laps, gateway, self._send_token)
        except RefusedError as refused:
            gateway.set({"http.response.status_code": int(refused.status)})
            gateway.fail(str(refused))
            gateway.end(laps.stop())
            self.send_error(refused.status, str(refused))
            return None
        except OSError:
            gateway.fail("client disconnected")
            gateway.end(laps.stop())
            return None
        gateway.end(laps.stop())
        with suppress(OSError):
            self._send("done", asdict(answer))
        return answer

    def _read(self, headers: dict[str, str]) -> Ask:
        length = headers.get("content-length", "")
        if self.path != PATH:
            raise RefusedError(HTTPStatus.NOT_FOUND, f"POST {PATH} is what there is")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"a body of at most {MOST_BYTES} bytes is needed")
        try:
            body = json.loads(self.rfile.read(int(length)))
            fields = {name: str(body[name]) for name in ("workload", "prompt_version", "question")}
        except (ValueError, KeyError, TypeError):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "workload, prompt_version, question") from None
        who = (headers.get(name, "") for name in ("x-request-id", "x-tenant", "x-api-key"))
        return Ask(*who, **fields)

    def _send_token(self, word: str) -> None:
        self._send("token", {"text": word})

    def _send(self, event: str, data: dict[str, Any]) -> None:
        if not self._headers_sent:
            self._headers_sent = True
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
        self.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the records say more."""


def main() -> None:
    """Serve until SIGINT or SIGTERM, then finish what is under way."""
    parser = ArgumentParser(prog="python -m examples.rag_service.server", description=__doc__)
    parser.add_argument("--port", type=int, default=8090, help="0 for any free one")
    parser.add_argument("--slots", type=int, default=2, help="requests that are generated at once")
    parser.add_argument("--region", default="local-1")
    add_options(parser)
    given = parser.parse_args()
    tracing = tracing_of(given, {"service.name": SERVICE, "cloud.region": given.region})
    records = Records(given.record)
    server = Server(given.port, given.slots, tracing, records)

    def stop(_number: int, _frame: FrameType | None) -> None:
        Thread(target=server.shutdown).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    tracing.close()
    records.close()


if __name__ == "__main__":
    main()
