"""A proxy before a real MLflow server that begins to misbehave at a request of the test's choice."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

Misbehave = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Forwards; a path that ``server.spoils`` is answered by ``server.misbehave`` instead."""

    server: Proxy
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._forward()

    def do_POST(self) -> None:
        self._forward()

    def answer(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def forwarded(self) -> bytes:
        """What the real server answers."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {"Content-Type": "application/json"}
        return requests.request(
            self.command, self.server.target + self.path, data=body, headers=headers, timeout=60
        ).content

    def _forward(self) -> None:
        if self.server.is_spoilt(self.path):
            self.server.misbehave(self)
        else:
            self.answer(200, self.forwarded())

    def log_message(self, format: str, *args: object) -> None:
        pass


class Proxy(ThreadingHTTPServer):
    """``after`` requests to a path with ``part`` in it go well; None: all do."""

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = target
        self.part = ""
        self.after: int | None = None
        self.misbehave: Misbehave = internal_error
        self._lock = threading.Lock()
        self._met = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def spoil(self, part: str, after: int, misbehave: Misbehave) -> None:
        self.part, self.after, self.misbehave, self._met = part, after, misbehave, 0

    def is_spoilt(self, path: str) -> bool:
        with self._lock:
            self._met += self.after is not None and self.part in path
            return self.after is not None and self.part in path and self._met > self.after


@contextmanager
def before(target: str) -> Iterator[Proxy]:
    """A proxy that is listening."""
    proxy = Proxy(target)
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()


def internal_error(handler: Handler) -> None:
    handler.answer(500, b'{"error_code": "INTERNAL_ERROR", "message": "no"}')


def reset(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    handler.connection.shutdown(socket.SHUT_RDWR)


def redirect(handler: Handler) -> None:
    handler.answer(302, b"", Location="http://elsewhere.invalid/")


def half(handler: Handler) -> None:
    handler.answer(200, handler.forwarded()[:-50])


def not_a_number(handler: Handler) -> None:
    handler.answer(200, b'{"traces": [{"trace_info": {"trace_id": NaN}}]}')


def page_again(handler: Handler) -> None:
    content = handler.forwarded()
    handler.answer(200, content.rstrip()[:-1] + b', "next_page_token": "again"}')
