"""A tracking server that misbehaves on request: a real socket, real HTTP, and answers written by the test."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behave = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One question; the test answers it."""

    protocol_version = "HTTP/1.1"
    behave: Behave

    def do_GET(self) -> None:
        type(self).behave(self)

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).behave(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def answer(self, content: Any, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(text)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def reset(self) -> None:
        """Break the connection off without a word."""
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


@contextmanager
def behaving(behave: Behave) -> Iterator[str]:
    """The address of a server that answers every question with ``behave``."""
    handler = type("Behaving", (Request,), {"behave": staticmethod(behave)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
