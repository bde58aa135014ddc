"""Runs over HTTP: pages without an end and answers that make no sense end with one sentence."""

from __future__ import annotations

import math
from typing import Any

import pytest

from budget_model.errors import RemoteError
from budget_model.sources.mlflow.connect import open_store
from budget_model.sources.mlflow.limits import Limits
from tests.sources.mlflow.faulty import Request, behaving

QUICK = Limits(connect_s=1, silence_s=0.3, answer_s=0.8, attempts=2, pause_s=0.01, max_bytes=100_000)
METRICS = [{"key": "a", "value": "NaN", "step": 0}, {"key": "b", "value": 1.7976931348623157e308}]
RUN = {"info": {"run_uuid": "r1", "experiment_id": "1", "end_time": 0}, "data": {"metrics": METRICS}}


def answered(content: Any) -> list[Any]:
    with behaving(lambda request: request.answer(content)) as url:
        store = open_store(url, limits=QUICK)
        try:
            return [run for page in store.runs(["1"]) for run in page]
        finally:
            store.close()


def test_values_that_json_cannot_hold_come_as_they_were_logged() -> None:
    [run] = answered({"runs": [RUN]})
    assert (run.run_id, run.end_ms, run.metrics["b"]) == ("r1", None, math.inf)
    assert math.isnan(run.metrics["a"])


def test_no_runs_are_no_pages() -> None:
    assert answered({}) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"runs": [RUN], "next_page_token": "again"}, "names the same next page twice"),
        ({"runs": [{"info": {}, "data": {"metrics": [{"value": "x"}]}}]}, "a run cannot be used: could not"),
        ({"runs": [{"data": {}}]}, "an answer cannot be used"),
        ({"runs": [{"info": {"start_time": "soon"}}]}, "a run cannot be used: invalid literal"),
        ({"runs": ["x" * 200_000]}, "an answer of more than 100,000 bytes is not read"),
        (b"<html>", "where MLflow's API answers JSON"),
    ],
)
def test_an_answer_that_cannot_be_used_is_one_sentence(content: Any, said: str) -> None:
    with pytest.raises(RemoteError, match=said) as refusal:
        answered(content)
    assert "\n" not in str(refusal.value)


def test_of_a_server_that_knows_no_pages_only_the_first_points_are_kept() -> None:
    def behave(request: Request) -> None:
        request.answer({"metrics": [{"key": "m", "value": n, "step": str(n)} for n in range(50)]})

    with behaving(behave) as url:
        store = open_store(url, limits=QUICK)
        found = store.history("r1", "m", 10)
        store.close()
    assert (found.is_cut, found.points[-1], len(found.points)) == (True, (9, 9.0), 10)
