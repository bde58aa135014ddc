"""Traces: lists of requests, and one request in full."""

from budget_model.views import frame, traces

traces.render(frame.begin("Traces"))
