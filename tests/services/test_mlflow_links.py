"""The link to MLflow's own page of a trace."""

from __future__ import annotations

from typing import Any

import pytest

from budget_model.normalise.explain import explain
from budget_model.normalise.rules import Rules
from budget_model.records.trace_view import TraceView
from budget_model.services.mlflow_links import page_of
from tests.builders import span


def view(resource: dict[str, Any], **attributes: Any) -> TraceView:
    return explain([span("1", "", "chat", 0, 5, resource=resource, attributes=attributes)], Rules())


def known(pages: str = "http://mlflow:5000", experiment: str = "7") -> dict[str, Any]:
    return {"mlflow.pages": pages, "mlflow.experiment_id": experiment}


def test_a_trace_read_from_a_server_leads_to_its_page_there() -> None:
    found = page_of(view(known(), **{"mlflow.trace_id": "tr-ab"}))
    assert found == "http://mlflow:5000/#/experiments/7/traces?selectedEvaluationId=tr-ab"


@pytest.mark.parametrize("pages", ["javascript:alert(1)", "", "file:///etc/passwd"])
def test_only_a_web_address_is_a_link(pages: str) -> None:
    assert page_of(view(known(pages), **{"mlflow.trace_id": "tr-ab"})) is None


def test_what_stands_in_ids_cannot_change_where_the_link_leads() -> None:
    found = page_of(view(known(experiment="7/../x?y"), **{"mlflow.trace_id": 'a"&b=1#'}))
    assert (
        found == "http://mlflow:5000/#/experiments/7%2F..%2Fx%3Fy/traces?selectedEvaluationId=a%22%26b%3D1%23"
    )


def test_a_trace_from_elsewhere_has_no_page() -> None:
    assert page_of(view({})) is None
