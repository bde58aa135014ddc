"""What is missing from the requests of a service, as far as that service is the one to send it.

The service of the root span is asked for what belongs on a root, and for hops that no service
sends. A service that calls or is a model is asked for what only it knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from budget_model.domain.hops import Hop
from budget_model.queries.service_requests import HOP_COLUMNS, RequestGroup, known_in, requests_in
from budget_model.services.coverage_sent import ServiceSent

Missing = dict[str, tuple[int, int]]
"""What is missing (a key of ``coverage_gaps.KINDS``) to how often, and of how many."""

_UNNAMED = "unknown_service"  # what OpenTelemetry's SDKs call a service that was given no name
_ROOT_TAGS = ("tenant", "region", "prompt_version")
_ROOT_HOPS = (Hop.CLIENT, Hop.NETWORK, Hop.GATEWAY, Hop.RETRIEVAL, Hop.POSTPROCESS)
_MODEL_TAGS = ("model", "prompt_tokens", "output_tokens")
_MODEL_HOPS = (Hop.PREFILL, Hop.DECODE)


def missing_of(service: str, sent: ServiceSent, groups: Sequence[RequestGroup], all_spans: int) -> Missing:
    """Everything a service is asked for; counts of 0 are not missing. ``all_spans`` of all services."""
    ok = [group for group in groups if group.is_ok]
    roots = [group for group in ok if group.is_root]
    found: Missing = {"first_token": (sent.unsplit_calls, sent.ok_calls)}
    if not service or service.split(":")[0] == _UNNAMED:
        found["service_name"] = (sent.all.spans, all_spans)
    if sent.calls.spans or any(hop.value in sent.hops for hop in _MODEL_HOPS):
        found |= _of_a_model([group for group in ok if group.is_modelled])
    if roots:
        found |= _of_a_root(roots)
        found["workload"] = _without_workload(roots, sent)
    return found


def _of_a_model(modelled: Sequence[RequestGroup]) -> Missing:
    tags = {name: _unknown(modelled, name) for name in _MODEL_TAGS}
    return {"queue": _never(modelled, Hop.QUEUE), **tags}


def _of_a_root(roots: Sequence[RequestGroup]) -> Missing:
    total = requests_in(roots)
    found = {name: _unknown(roots, name) for name in _ROOT_TAGS}
    found |= {hop.value: _never(roots, hop) for hop in _ROOT_HOPS}
    if not any(group.is_modelled for group in roots):
        found["model_call"] = (total, total)
    return found


def _without_workload(roots: Sequence[RequestGroup], sent: ServiceSent) -> tuple[int, int]:
    """Requests that have none, or only the service's name for one.

    Where each request carries a workload, one that is called like the service is meant so.
    """
    absent, total = _unknown(roots, "workload")
    carried = sent.tags.get("workload")
    if carried is not None and carried.spans >= total:
        return absent, total
    return absent + sum(group.named_after for group in roots), total


def _unknown(groups: Sequence[RequestGroup], column: str) -> tuple[int, int]:
    total = requests_in(groups)
    return total - known_in(groups, column), total


def _never(groups: Sequence[RequestGroup], hop: Hop) -> tuple[int, int]:
    """A hop that some requests have is sent; the others may have done without."""
    total = requests_in(groups)
    return (0 if known_in(groups, HOP_COLUMNS[hop]) else total), total
