"""The first visit: no data yet. Offers the demo and says how to bring one's own."""

from __future__ import annotations

import streamlit as st

from budget_model.views import jobs, text

COLLECTOR = """\
# write what passes to a file
exporters:
  file:
    path: traces.jsonl
service:
  pipelines:
    traces:
      exporters: [file]"""

COMMANDS = """\
# OTLP, Jaeger, Zipkin, event and request logs:
# the format is found by content
tailbudget import traces.jsonl
tailbudget import more/*.json.gz --set tenant=acme

# the same figures in the terminal
tailbudget waterfall --percentile 99"""

REQUEST_LOG = """\
start_time,tenant,queue_ms,prefill_ms,decode_ms
2026-11-30T09:00:00Z,acme,40,310,1430
2026-11-30T09:00:01Z,acme,55,290,1810"""


def render() -> None:
    """Draw the welcome."""
    with st.container(key="welcome"):
        st.markdown("## See where your end-to-end p99 goes")
        st.markdown(
            "Tailbudget reads trace exports of LLM services, divides the time of every request over the "
            "hops it passed, and shows which hop the slow requests spend it in. There is no data here yet."
        )
        left, right = st.columns(2, gap="large")
        with left, st.container(border=True, key="welcome-demo", height="stretch"):
            st.markdown("#### Look around first")
            st.markdown(
                "Two weeks of a simulated service: four workloads, eight tenants, three regions, and a few "
                "true stories to find in it. It goes through the same import as your own files."
            )
            ended = jobs.panel()
            if ended is not None and ended.refusal:
                st.error(text.markdown(ended.refusal, 400))
            jobs.demo_button()
        with right, st.container(border=True, key="welcome-own", height="stretch"):
            st.markdown("#### Bring your own")
            st.markdown("Drop a file on the Data page, or import from the command line:")
            st.page_link("pages/data.py", label="Open the Data page", icon=":material/upload:")
            st.code(COMMANDS, language="bash")
        st.markdown("#### Where to get a file")
        one, two = st.columns(2, gap="large")
        with one:
            st.markdown("From an OpenTelemetry Collector:")
            st.code(COLLECTOR, language="yaml")
        with two:
            st.markdown("Or one row a request, as CSV, JSON lines or Parquet:")
            st.code(REQUEST_LOG, language="text")
