"""Asking a tracking server over HTTP: bounded in time and size, and refused in one sentence."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from budget_model.errors import RemoteError, RemoteRefusalError
from budget_model.records.rejects import excerpt
from budget_model.sources.mlflow.limits import Credentials, Limits

_PIECE = 64 * 1024
_TRY_AGAIN = (429, 500, 502, 503, 504)


class MlflowApi:
    """Questions to one server; safe to share between threads. Raises RemoteError for no address."""

    def __init__(
        self, base_url: str, credentials: Credentials | None = None, limits: Limits | None = None
    ) -> None:
        self.limits = limits or Limits()
        self.base_url, told = _without_user(base_url)
        self._session = requests.Session()
        self._session.trust_env = False  # proxies and netrc of the surroundings are no part of the address
        _sign_in(self._session, credentials or told)
        for scheme in ("http://", "https://"):
            self._session.mount(
                scheme, HTTPAdapter(pool_maxsize=self.limits.at_once, max_retries=self._retries())
            )

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> bytes:
        """The JSON answered to a GET. Raises RemoteError when there is none."""
        return self._ask("GET", path, params=params)

    def post(self, path: str, body: Mapping[str, Any]) -> bytes:
        """The JSON answered to a POST that only reads, so that it may be asked again. Raises RemoteError."""
        return self._ask("POST", path, json=body)

    def write(self, path: str, body: Mapping[str, Any], method: str = "POST") -> bytes:
        """The JSON answered to a request that changes something. Raises RemoteError.

        It is asked as often as any other, so whoever writes opens with ``attempts=1``.
        """
        return self._ask(method, path, json=body)

    def upload(self, path: str, params: Mapping[str, Any], content: bytes) -> None:
        """Send a file's content; whether anything is answered to it does not matter. Raises RemoteError."""
        headers = {"Content-Type": "application/octet-stream"}
        self._ask("POST", path, needs_json=False, params=params, data=content, headers=headers)

    def close(self) -> None:
        """Give up all connections."""
        self._session.close()

    def _retries(self) -> Retry:
        return Retry(
            total=self.limits.attempts - 1,
            allowed_methods=None,
            status_forcelist=_TRY_AGAIN,
            backoff_factor=self.limits.pause_s,
            respect_retry_after_header=False,  # a server could ask for an hour
            raise_on_status=False,
        )

    def _ask(self, method: str, path: str, *, needs_json: bool = True, **what: Any) -> bytes:
        deadline = time.monotonic() + self.limits.answer_s
        limits = self.limits.connect_s, self.limits.silence_s
        try:
            answer = self._session.request(
                method, self.base_url + path, timeout=limits, allow_redirects=False, stream=True, **what
            )
            with answer:
                content = self._content(answer.raw, deadline)
        except (requests.RequestException, HTTPError, OSError) as problem:
            raise RemoteError(f"{self.base_url}: {_why(problem)}") from problem
        self._check(answer, content, needs_json=needs_json)
        return content

    def _content(self, raw: HTTPResponse, deadline: float) -> bytes:
        """The whole answer, read as it comes, so that one that trickles ends at the deadline too."""
        content = bytearray()
        while piece := raw.read1(_PIECE, decode_content=True):
            content += piece
            if len(content) > self.limits.max_bytes:
                raise RemoteError(
                    f"{self.base_url}: an answer of more than {self.limits.max_bytes:,} bytes is not read"
                )
            if time.monotonic() > deadline:
                raise RemoteError(
                    f"{self.base_url}: an answer was not whole after {self.limits.answer_s:g} s"
                )
        return bytes(content)

    def _check(self, answer: requests.Response, content: bytes, *, needs_json: bool) -> None:
        if answer.is_redirect or 300 <= answer.status_code < 400:
            target = answer.headers.get("location", "nowhere")
            raise RemoteError(
                f"{self.base_url}: sends on to {excerpt(_shown(target))}, which is not followed; "
                "give that address if you trust it"
            )
        if answer.status_code != requests.codes.ok:
            raise RemoteRefusalError(
                f"{self.base_url}: answers {answer.status_code}{_said(content)}{_advice(answer)}"
            )
        if needs_json and content.lstrip()[:1] not in (b"{", b"["):
            kind = answer.headers.get("content-type", "no content type").partition(";")[0]
            raise RemoteError(
                f"{self.base_url}: answers with {excerpt(kind)} where MLflow's API answers JSON"
            )


def _without_user(url: str) -> tuple[str, Credentials | None]:
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RemoteError("the address of a tracking server must be http://HOST or https://HOST")
    host = parts.netloc.rpartition("@")[2]
    credentials = Credentials(parts.username, parts.password or "") if parts.username else None
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", "")), credentials


def _shown(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _sign_in(session: requests.Session, credentials: Credentials | None) -> None:
    if credentials is None:
        return
    if credentials.token:
        session.headers["Authorization"] = f"Bearer {credentials.token}"
    elif credentials.user:
        session.auth = (credentials.user, credentials.password)


def _why(problem: Exception) -> str:
    """The cause in words, without the addresses and ids that libraries put in."""
    if isinstance(problem, requests.ConnectTimeout):
        return "does not take connections (time-out)"
    if isinstance(problem, requests.Timeout) or "timed out" in str(problem).lower():
        return "stopped answering (time-out)"
    if "refused" in str(problem).lower():
        return "refuses connections; is the server running?"
    if "resolve" in str(problem).lower() or "name or service" in str(problem).lower():
        return "no server of that name is known"
    if isinstance(problem, requests.exceptions.SSLError):
        return "its certificate cannot be trusted"
    return "broke off the connection"


def _said(content: bytes) -> str:
    text = content.decode("utf-8", "replace").strip()
    return f" and says {excerpt(text)!r}" if text and not text.startswith("<") else ""


def _advice(answer: requests.Response) -> str:
    if answer.status_code in (requests.codes.unauthorized, requests.codes.forbidden):
        return "; set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN"
    if answer.status_code == requests.codes.not_found:
        return "; the trace API of MLflow 3 or later is needed"
    return ""
