"""The services that emit spans, as OTLP resources."""

from __future__ import annotations

from functools import cache

import msgspec

from budget_model.demo import scenario as sc
from budget_model.demo.fleet import pool_parts
from budget_model.demo.wire import pairs

ENVIRONMENT = "production"


@cache
def web_app(region: str) -> msgspec.Raw:
    """The caller's side: what users click in."""
    return _resource("web-app", region, f"web-{region}", {})


@cache
def gateway(site: str) -> msgspec.Raw:
    """The LLM gateway of a site."""
    return _resource("llm-gateway", site, f"gateway-{site}-1", {})


@cache
def retriever(site: str) -> msgspec.Raw:
    """The retrieval service of a site."""
    return _resource("retriever", site, f"retriever-{site}-1", {})


@cache
def auditor(site: str) -> msgspec.Raw:
    """The service that reads finished answers from a queue."""
    return _resource("auditor", site, f"auditor-{site}-1", {})


@cache
def engine(replica: int, instance: int) -> msgspec.Raw:
    """A replica of the inference engine; a restart makes a new instance."""
    host = host_of(replica)
    site, model = pool_parts(replica)
    return _resource(
        "vllm", site, host, {"service.instance.id": f"{host}#{instance}", "host.type": model.hardware}
    )


def host_of(replica: int) -> str:
    """Host name of a replica."""
    site, model = pool_parts(replica)
    size = "70b" if model is sc.MODELS[1] else "8b"
    return f"gpu-{site}-{size}-{replica % sc.REPLICAS_PER_POOL + 1}"


def _resource(service: str, region: str, host: str, more: dict[str, str]) -> msgspec.Raw:
    attributes = {
        "service.name": service,
        "deployment.environment.name": ENVIRONMENT,
        "cloud.region": region,
        "host.name": host,
        **more,
    }
    return msgspec.Raw(b'{"attributes":' + bytes(pairs(attributes)) + b"}")
