from __future__ import annotations

import csv
import io
import json

import jsonschema
import pytest
import yaml

from budget_model.exports.grafana import grafana_dashboard
from budget_model.exports.openslo import openslo_yaml
from budget_model.exports.promql import MetricNames
from budget_model.exports.tables import budget_csv, budget_json, safe_cell
from tests.exports.budgets import HOSTILE, budget
from tests.exports.openslo_v1 import schema_of


def test_the_rows_of_the_csv_add_to_the_target() -> None:
    rows = list(csv.DictReader(io.StringIO(budget_csv(budget()))))
    assert sum(float(row["ms"]) for row in rows) == 5000
    assert sum(int(row["printed_ms"]) for row in rows) == 5000


def test_a_spreadsheet_takes_no_name_for_a_formula() -> None:
    assert safe_cell("=1+1") == "'=1+1"
    rows = list(csv.DictReader(io.StringIO(budget_csv(budget("=HYPERLINK(1)")))))
    assert {row["budget"] for row in rows} == {"'=HYPERLINK(1)"}


def test_the_json_holds_the_whole_version() -> None:
    read = json.loads(budget_json(budget(HOSTILE)))
    assert read["name"] == HOSTILE
    assert sum(line["us"] for line in read["content"]["lines"]) == 5_000_000


def test_the_dashboard_is_json_with_queries_in_every_chart() -> None:
    read = json.loads(grafana_dashboard(budget(HOSTILE), MetricNames()))
    charts = [panel for panel in read["panels"] if panel["type"] != "text"]
    assert all(panel["targets"][0]["expr"] for panel in charts)
    assert len({panel["id"] for panel in read["panels"]}) == len(read["panels"])


def test_the_openslo_stream_refers_only_to_what_it_defines() -> None:
    source, service, level = yaml.safe_load_all(openslo_yaml(budget(HOSTILE), MetricNames()))
    assert [d["kind"] for d in (source, service, level)] == ["DataSource", "Service", "SLO"]
    assert {d["apiVersion"] for d in (source, service, level)} == {"openslo/v1"}
    spec = level["spec"]
    assert spec["service"] == service["metadata"]["name"]
    for side in ("good", "total"):
        metric = spec["indicator"]["spec"]["ratioMetric"][side]["metricSource"]
        assert metric["metricSourceRef"] == source["metadata"]["name"]
    assert spec["objectives"][0]["target"] == 0.99


@pytest.mark.parametrize("name", ["chat 5s", HOSTILE, "x" * 200])
def test_every_openslo_document_is_what_the_specification_asks(name: str) -> None:
    documents = list(yaml.safe_load_all(openslo_yaml(budget(name), MetricNames())))
    for document in documents:
        jsonschema.validate(document, schema_of(document["kind"]))
    assert len(documents) == 3


def test_a_document_that_lacks_its_objective_is_no_openslo() -> None:
    *_, level = yaml.safe_load_all(openslo_yaml(budget(), MetricNames()))
    del level["spec"]["objectives"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(level, schema_of("SLO"))
