"""Envoy and meshes built on it:
https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/observability/tracing.
"""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(Hop.NETWORK, name="router * egress", attributes=(("component", "proxy"),), origin="Envoy"),
    Rule(Hop.NETWORK, kind="CLIENT", attributes=(("upstream_cluster", "*"),), origin="Envoy"),
    Rule(Hop.GATEWAY, attributes=(("component", "proxy"),), origin="Envoy"),
)
"""What enters a proxy is gateway work; what it forwards, less the server's time, is transit."""
