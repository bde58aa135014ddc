"""Traces: lists of requests, and one request in full when the address names one."""

from __future__ import annotations

from budget_model.views import address, trace_list, trace_page
from budget_model.views.frame import Page


def render(page: Page) -> None:
    """Draw the list, or the request named in the address."""
    request_id = address.read("request")
    if request_id:
        trace_page.render(page, request_id)
    else:
        trace_list.render(page)
