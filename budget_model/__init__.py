"""Latency budgets for LLM systems: hop attribution, tail mathematics and allocation."""

__version__ = "0.1.0"
