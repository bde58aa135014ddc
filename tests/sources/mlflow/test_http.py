"""Whatever a server does, a question ends within its bounds and with one sentence."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from budget_model.errors import RemoteError
from budget_model.sources.mlflow.connect import open_store
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.limits import Credentials, Limits
from tests.postgres import free_port
from tests.sources.mlflow.faulty import Request, behaving

QUICK = Limits(connect_s=1, silence_s=0.3, answer_s=0.8, attempts=3, pause_s=0.01, max_bytes=100_000)
HEAD = {
    "trace_id": "tr-1",
    "request_time": "2026-12-01T00:00:00Z",
    "state": "OK",
    "trace_location": {"mlflow_experiment": {"experiment_id": "1"}},
}


def silent(request: Request) -> None:
    time.sleep(1)


def trickling(request: Request) -> None:
    request.send_response(200)
    request.send_header("content-length", "1000")
    request.end_headers()
    for _ in range(40):
        request.wfile.write(b"{")
        request.wfile.flush()
        time.sleep(0.05)


def half(request: Request) -> None:
    request.send_response(200)
    request.send_header("content-length", "1000")
    request.end_headers()
    request.wfile.write(b'{"traces": [')
    request.wfile.flush()
    request.reset()


def answering(content: Any, status: int = 200, **headers: str) -> Callable[[Request], None]:
    return lambda request: request.answer(content, status, **headers)


BEHAVIOURS = [
    (silent, "stopped answering"),
    (trickling, "was not whole after 0.8 s"),
    (half, "broke off the connection"),
    (Request.reset, "broke off the connection"),
    (answering({"error_code": "INTERNAL_ERROR"}, 500), "answers 500 and says"),
    (answering({}, 401), "MLFLOW_TRACKING_TOKEN"),
    (answering({}, 404), "MLflow 3 or later"),
    (answering(b"<html>", kind="text/html"), "answers with text/html where MLflow's API answers JSON"),
    (answering(b'{"traces": [' + b" " * 200_000 + b"]}"), "more than 100,000 bytes"),
    (answering({"traces": [HEAD], "next_page_token": "again"}), "names the same next page twice"),
    (answering(b'{"traces": [{"trace_id": NaN}]}'), "cannot be used: not valid JSON"),
    (answering(b'{"traces": [{"trace_id": "tr-1"'), "ends in the middle of a value"),
    (answering({"traces": [{"trace_id": 7}]}), "cannot be used"),
]


@pytest.mark.parametrize(("behave", "words"), BEHAVIOURS, ids=[words for _, words in BEHAVIOURS])
def test_a_server_that_misbehaves_is_refused_in_one_sentence_and_in_time(
    behave: Callable[[Request], None], words: str
) -> None:
    began = time.monotonic()
    with behaving(behave) as url:
        store = open_store(url, limits=QUICK)
        with pytest.raises(RemoteError, match=words) as refused:
            list(store.heads(["1"], 0))
        store.close()
    assert time.monotonic() - began < 10
    assert str(refused.value).startswith(url)
    assert "\n" not in str(refused.value)


def test_a_server_that_only_stumbles_is_asked_again() -> None:
    numbers = count()

    def stumbling(request: Request) -> None:
        if next(numbers) == 0:
            request.answer({}, 503)
        else:
            request.answer({"experiments": [{"experiment_id": "7", "name": "chat"}]})

    with behaving(stumbling) as url:
        [found] = open_store(url, limits=QUICK).experiments()
    assert (found.id, found.name) == ("7", "chat")


def test_nothing_is_sent_to_another_host_and_its_name_is_told_without_secrets() -> None:
    asked: list[str] = []
    with behaving(lambda request: asked.append(request.path)) as other:
        target = other.replace("http://", "http://user:secret@") + "/x?token=secret"
        with behaving(answering({}, 302, location=target)) as url, pytest.raises(RemoteError) as refused:
            open_store(url, credentials=Credentials("ann", "hidden"), limits=QUICK).experiments()
    assert asked == []
    assert f"sends on to {other}/x, which is not followed" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_who_signs_in_is_sent_to_the_server_and_shown_to_nobody() -> None:
    seen: list[str | None] = []

    def asked(request: Request) -> None:
        seen.append(request.headers["authorization"])
        request.answer({}, 403)

    with behaving(asked) as url:
        withheld = url.replace("http://", "http://ann:secret@")
        for api in (
            MlflowApi(withheld, None, QUICK),
            MlflowApi(url, Credentials(token="secret"), QUICK),
            MlflowApi(url, None, QUICK),
        ):
            with pytest.raises(RemoteError) as refused:
                api.get("/x")
            assert "secret" not in f"{refused.value}{api.base_url}"
            api.close()
    assert seen == ["Basic YW5uOnNlY3JldA==", "Bearer secret", None]
    assert "secret" not in repr(Credentials("secret", "secret", "secret"))


def test_a_server_that_is_not_there_is_said_to_be() -> None:
    with pytest.raises(RemoteError, match="refuses connections; is the server running"):
        open_store(f"http://127.0.0.1:{free_port()}", limits=QUICK).experiments()


def test_a_trace_that_was_deleted_in_between_is_left_out() -> None:
    def serving(request: Request) -> None:
        if "batchGet" in request.path:
            request.answer({"traces": [{"trace_info": HEAD, "spans": []}]})
        else:
            request.answer({"traces": [HEAD, HEAD | {"trace_id": "tr-2"}]})

    with behaving(serving) as url:
        store = open_store(url, limits=QUICK)
        [heads] = store.heads(["1"], 0)
        assert [document.head.trace_id for document in store.documents(heads)] == ["tr-1"]
        store.close()


@pytest.mark.parametrize(
    "address", ["", "mlflow", "http://", "ftp://host/x", "sqlite:///nowhere.db", "mysql://a/b"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(RemoteError):
        open_store(address)
