"""What arrives from which service, and what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budget_model.errors import NoDataError
from budget_model.services.coverage import Arrival, Coverage, ServiceCoverage, service_coverage
from budget_model.services.importing import import_files
from budget_model.services.mapping import set_rule, write_rules
from budget_model.services.rebuild import rebuild
from budget_model.services.workspace import Workspace
from budget_model.settings import Settings
from tests.services.homes import MS, START_NS, home

TAGS = {"workload": "chat", "tenant.id": "acme", "cloud.region": "here", "gen_ai.prompt.version": "1"}
CALL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.output_tokens": 5,
}

Given = dict[str, Any]


def span(
    name: str, start_ms: int, end_ms: int, *, below: int = 1, service: str = "app", **more: Any
) -> Given:
    """A span below the ``below``-th of its trace (0: the root); ``events`` are names and ms."""
    return {"name": name, "at": (start_ms, end_ms), "below": below, "service": service, **more}


def whole(**call: Any) -> list[Given]:
    """A request of two services from which nothing is missing but what ``call`` leaves out of the call."""
    return [
        span("client", 0, 100, below=0, service="web", attributes=TAGS),
        span("network.request", 1, 99, service="web"),
        span("gateway", 2, 98, below=2),
        span("retrieve", 3, 10, below=3),
        span("queue", 10, 20, below=3),
        span("model", 20, 90, below=3, **{"attributes": CALL, "events": {"first_token": 40}, **call}),
        span("postprocess", 90, 95, below=3),
    ]


def covered(folder: Path, *traces: list[Given]) -> Coverage:
    """Traces a second apart, imported."""
    folder.mkdir(exist_ok=True)
    at = home(folder / "home", workers=1)
    import_files(at, [written(folder / "traces.jsonl", *traces)])
    return of_home(at)


def of_home(at: Settings) -> Coverage:
    workspace = Workspace(at)
    try:
        return service_coverage(workspace)
    finally:
        workspace.close()


def written(path: Path, *traces: list[Given]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number, trace in enumerate(traces):
            for place, one in enumerate(trace, 1):
                file.write(json.dumps(_document(number, place, one)) + "\n")
    return path


def _document(number: int, place: int, one: Given) -> dict[str, Any]:
    base_ns = START_NS + number * 1000 * MS
    start, end = (str(base_ns + ms * MS) for ms in one["at"])
    events = [{"name": n, "timeUnixNano": str(base_ns + ms * MS)} for n, ms in one.get("events", {}).items()]
    record = {
        "traceId": f"{number + 1:032x}",
        "spanId": f"{place:016x}",
        "parentSpanId": f"{one['below']:016x}" if one["below"] else "",
        "name": one["name"],
        "kind": one.get("kind", 1),
        "startTimeUnixNano": start,
        "endTimeUnixNano": end,
        "attributes": _attributes(one.get("attributes", {})),
        "events": events,
        "status": {"code": one.get("status", 0)},
    }
    named = {"service.name": one["service"]} if one["service"] else {}
    resource = {"attributes": _attributes(named | one.get("resource", {}))}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [record]}]}]}


def _attributes(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in given.items()
    ]


def sent(one: ServiceCoverage) -> tuple[set[str], set[str]]:
    """Names of the hops and the tags that the service's spans carry."""
    hops, tags = ({thing.name for thing in things if thing.spans} for things in _things(one))
    return hops, tags


def _things(one: ServiceCoverage) -> tuple[tuple[Arrival, ...], tuple[Arrival, ...]]:
    return one.requests.hops, one.requests.tags


def gaps(found: Coverage) -> dict[str, tuple[int, int]]:
    return {gap.code: (gap.n, gap.of) for one in found.services for gap in one.gaps}


def hop(one: ServiceCoverage, name: str) -> Arrival:
    [found] = [thing for thing in one.requests.hops if thing.name == name]
    return found


def test_each_service_has_its_own_hops_and_tags_and_nothing_is_missing(tmp_path: Path) -> None:
    found = covered(tmp_path, whole(), whole())
    assert [(one.service, one.spans, one.requests.total) for one in found.services] == [
        ("app", 10, 2),
        ("web", 4, 2),
    ]
    app, web = found.services
    assert sent(app)[0] == {"gateway", "retrieval", "queue", "prefill", "decode", "postprocess"}
    assert sent(app)[1] == {"model", "prompt_tokens", "output_tokens"}
    assert sent(web) == ({"client", "network"}, {"workload", "tenant", "region", "prompt_version"})
    assert (app.calls, app.first_tokens, web.calls) == (2, 2, 0)
    assert gaps(found) == {}


def test_since_when_and_until_when_is_known_of_services_and_of_hops(tmp_path: Path) -> None:
    app, _ = covered(tmp_path, whole()[:4], whole(), whole()).services
    start_us = START_NS // 1000
    assert (app.first_us, app.last_us) == (start_us + 2_000, start_us + 2_090_000)
    queue = hop(app, "queue")
    assert queue == Arrival("queue", 2, 3, 2, start_us + 1_010_000, start_us + 2_010_000)


def test_calls_without_a_first_token_are_counted_and_those_with_one_are_not(tmp_path: Path) -> None:
    found = covered(tmp_path, whole(events={}), whole(), whole(events={"token": 40}))
    assert gaps(found) == {"first_token": (2, 3)}
    [gap] = found.of("app").gaps
    assert gap.sentence == (
        "no first-token event: prefill and decode cannot be told apart for 2 of 3 model calls"
    )


@pytest.mark.parametrize(
    "more",
    [
        {"attributes": CALL | {"ttft_ms": 20}},
        {"attributes": CALL | {"gen_ai.latency.time_in_model_prefill": 1}},
        {"events": {"mlflow.chunk.item.0": 30, "mlflow.chunk.item.1": 31}},
    ],
)
def test_whatever_splits_a_call_will_do(tmp_path: Path, more: Given) -> None:
    assert "first_token" not in gaps(covered(tmp_path, whole(**{"events": {}, **more})))


def test_stages_with_spans_of_their_own_split_a_call_too(tmp_path: Path) -> None:
    stages = [span("prefill", 20, 40, below=6), span("decode", 40, 90, below=6)]
    assert gaps(covered(tmp_path, [*whole(events={}), *stages])) == {}


@pytest.mark.parametrize(
    ("attribute", "code"),
    [
        ("workload", "workload"),
        ("tenant.id", "tenant"),
        ("cloud.region", "region"),
        ("gen_ai.prompt.version", "prompt_version"),
    ],
)
def test_a_tag_of_the_root_that_nobody_sends_is_missing_from_the_roots_service(
    tmp_path: Path, attribute: str, code: str
) -> None:
    bare = whole()
    bare[0]["attributes"] = {name: value for name, value in TAGS.items() if name != attribute}
    found = covered(tmp_path, bare, whole())
    assert [gap.code for gap in found.of("web").gaps] == [code]
    assert gaps(found) == {code: (1, 2)}
    elsewhere = [*bare[:6], span("postprocess", 90, 95, below=3, attributes={attribute: TAGS[attribute]})]
    if attribute != "workload":  # the root's own service name comes before it
        assert gaps(covered(tmp_path / "other", elsewhere)) == {}


def test_a_workload_called_like_its_service_is_one_when_it_is_sent(tmp_path: Path) -> None:
    named = whole()
    named[0]["attributes"] = TAGS | {"workload": "web"}
    assert gaps(covered(tmp_path, named)) == {}
    del named[0]["attributes"]["workload"]
    assert gaps(covered(tmp_path / "not", named)) == {"workload": (1, 1)}
    at = home(tmp_path / "not" / "home")
    write_rules(at, '[dimensions]\nworkload = ["service.name"]\n')
    rebuild(at)
    assert gaps(of_home(at)) == {}


@pytest.mark.parametrize(
    ("attribute", "code"),
    [
        ("gen_ai.request.model", "model"),
        ("gen_ai.usage.input_tokens", "prompt_tokens"),
        ("gen_ai.usage.output_tokens", "output_tokens"),
    ],
)
def test_what_only_a_call_knows_is_missing_from_the_service_that_calls(
    tmp_path: Path, attribute: str, code: str
) -> None:
    left = {name: value for name, value in CALL.items() if name != attribute}
    found = covered(tmp_path, whole(attributes=left))
    assert [(one.service, gap.code) for one in found.services for gap in one.gaps] == [("app", code)]


@pytest.mark.parametrize(
    ("name", "code", "service"),
    [
        ("queue", "queue", "app"),
        ("retrieve", "retrieval", "web"),
        ("postprocess", "postprocess", "web"),
        ("network.request", "network", "web"),
        ("gateway", "gateway", "web"),
        ("client", "client", "web"),
    ],
)
def test_a_hop_is_missing_when_no_request_has_it(tmp_path: Path, name: str, code: str, service: str) -> None:
    without = [one | {"name": "work" if one["name"] == name else one["name"]} for one in whole()]
    found = covered(tmp_path, without)
    assert [(one.service, gap.code) for one in found.services for gap in one.gaps] == [(service, code)]
    assert gaps(covered(tmp_path / "some", without, whole())) == {}


def test_without_any_call_the_roots_service_is_asked_for_one(tmp_path: Path) -> None:
    found = covered(tmp_path, whole()[:4])
    assert "model_call" in [gap.code for gap in found.of("web").gaps]
    assert "first_token" not in gaps(found)
    assert "model_call" not in gaps(covered(tmp_path / "whole", whole()))


@pytest.mark.parametrize("service", ["", "unknown_service:python"])
def test_spans_without_a_service_name_are_a_row_of_their_own(tmp_path: Path, service: str) -> None:
    nameless = [
        one | {"service": service if one["name"] == "retrieve" else one["service"]} for one in whole()
    ]
    found = covered(tmp_path, nameless)
    assert gaps(found) == {"service_name": (1, 7)}
    assert found.of(service or "no service name").gaps[0].code == "service_name"
    assert found.services[-1].title == (service or "no service name")


def test_failed_requests_are_not_asked_for_what_they_never_came_to(tmp_path: Path) -> None:
    refused = [span("client", 0, 9, below=0, service="web", attributes=TAGS, status=2)]
    found = covered(tmp_path, whole(), refused)
    assert gaps(found) == {}
    web = found.of("web").requests
    assert (web.total, web.ok, hop(found.of("web"), "decode").of) == (2, 1, 1)


def test_a_client_answered_by_another_service_sends_the_network(tmp_path: Path) -> None:
    calls = [
        one | ({"name": "POST /v1", "kind": 3} if one["name"] == "network.request" else {}) for one in whole()
    ]
    answered = [one | ({"kind": 2} if one["name"] == "gateway" else {}) for one in calls]
    assert hop(covered(tmp_path, answered).of("web"), "network").spans == 1
    assert hop(covered(tmp_path / "not", calls).of("web"), "network").spans == 0


def test_tags_of_a_resource_are_sent_by_all_spans_of_it(tmp_path: Path) -> None:
    placed = [one | {"resource": {"cloud.region": "here"}} for one in whole()]
    [region] = [tag for tag in covered(tmp_path, placed).of("app").requests.tags if tag.name == "region"]
    assert (region.spans, region.n, region.of) == (5, 1, 1)


def test_spans_of_one_name_are_told_apart_by_what_rules_compare(tmp_path: Path) -> None:
    typed = [
        span("client", 0, 100, below=0),
        span("run", 1, 5, attributes={"openinference.span.kind": "RETRIEVER"}),
        span("run", 5, 50, attributes={"openinference.span.kind": "LLM"}),
    ]
    [app] = covered(tmp_path, typed).services
    assert (hop(app, "retrieval").spans, hop(app, "decode").spans, app.calls) == (1, 1, 1)


@pytest.mark.parametrize("name", ["plain", 'a "b"/c~d', "mit Lücke - [x](y) $1", "back\\slash", "nul\0"])
def test_any_attribute_name_can_be_compared(tmp_path: Path, name: str) -> None:
    at = home(tmp_path / "home", workers=1)
    quoted = json.dumps(name, ensure_ascii=False)
    write_rules(at, f'[[hop]]\nattributes = {{ {quoted} = "yes" }}\nhop = "retrieval"\n')
    alike = [span("run", 10 * place, 10 * place + 5, attributes={name: "no"}) for place in range(1, 4)]
    alike[1]["attributes"] = {name: "yes"}
    import_files(at, [written(tmp_path / "traces.jsonl", [span("client", 0, 100, below=0), *alike])])
    assert hop(of_home(at).of("app"), "retrieval").spans == 1


def test_texts_no_program_likes_are_read(tmp_path: Path) -> None:
    odd = {"gen_ai.operation.name": "chat\0", "mlflow.spanType": "\ud83d\ude00", "a\0b": "\0", "": ""}
    found = covered(tmp_path, [*whole(), span("run\0\u202e", 1, 2, attributes=odd, events={"e\0": 1})])
    assert found.of("app").spans == 6


def test_rules_and_attribute_names_of_ones_own_count(tmp_path: Path) -> None:
    own = [
        one | {"name": "Nachbereitung" if one["name"] == "postprocess" else one["name"]} for one in whole()
    ]
    own[0]["attributes"] = {name: value for name, value in TAGS.items() if name != "tenant.id"} | {
        "kunde": "x"
    }
    assert gaps(covered(tmp_path, own)).keys() == {"tenant", "postprocess"}
    at = home(tmp_path / "home", workers=1)
    write_rules(at, '[dimensions]\ntenant = ["kunde"]\n')
    set_rule(at, "Nachbereitung", "postprocess")
    rebuild(at)
    assert gaps(of_home(at)) == {}


def test_logs_have_figures_and_nothing_missing(tmp_path: Path) -> None:
    at = home(tmp_path / "home", workers=1)
    log = tmp_path / "log.csv"
    log.write_text("request_id,start_time,tenant,e2e_ms,queue_ms\nr1,2026-11-30T09:00:00Z,acme,9,2\n")
    events = tmp_path / "events.jsonl"
    rows = [
        ("request_start", "00.000"),
        ("first_token", "00.300"),
        ("last_token", "00.350"),
        ("end", "00.400"),
    ]
    events.write_text(
        "\n".join(
            json.dumps({"request_id": "e1", "timestamp": f"2026-11-30T09:00:{second}Z", "event": event})
            for event, second in rows
        )
    )
    import_files(at, [log, events])
    found = of_home(at)
    assert [(one.service, one.is_log, one.spans, one.gaps) for one in found.services] == [
        ("request log", True, 0, ()),
        ("event log", True, 0, ()),
    ]
    assert (hop(found.services[0], "queue").n, hop(found.services[1], "queue").n) == (1, 0)
    assert found.services[1].requests.ttft.n == 1
    assert found.services[0].first_us == 1_796_029_200_000_000


def test_a_service_that_sent_nothing_is_named_with_those_that_did(tmp_path: Path) -> None:
    found = covered(tmp_path, whole())
    with pytest.raises(
        NoDataError, match="no spans came from a service 'db'; those that sent some: app, web"
    ):
        found.of("db")
    with pytest.raises(NoDataError, match="none yet"):
        Coverage(()).of("db")


def test_nothing_imported_is_nothing_covered(tmp_path: Path) -> None:
    assert of_home(home(tmp_path / "home")) == Coverage(())
