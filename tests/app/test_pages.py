from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from tests.app.homes import HOSTILE, TRACE_ID, import_into, request_log, traces

PAGES = ("", "hops", "traces", "data")


def words(at: AppTest) -> str:
    """All text of a page, markup included."""
    kinds = (at.markdown, at.caption, at.info, at.warning, at.error, at.success, at.code)
    plain = [element.value for kind in kinds for element in kind]
    return "\n".join([*plain, *(element.proto.body for element in at.get("html"))])


@pytest.fixture
def log_home(home: Path, tmp_path: Path) -> Path:
    import_into(home, request_log(tmp_path / "log.jsonl", ("acme", "globex")))
    return home


@pytest.fixture
def hostile_home(home: Path, tmp_path: Path) -> Path:
    import_into(
        home,
        request_log(tmp_path / "log.jsonl", HOSTILE),
        traces(tmp_path / "traces.json", 12, name=HOSTILE[0], tenant=HOSTILE[2]),
    )
    return home


@pytest.mark.parametrize("page", PAGES[:3])
def test_a_first_visit_offers_the_demo_and_says_how_to_bring_ones_own(open_page: Open, page: str) -> None:
    at = open_page(page)
    assert not at.exception
    assert "Load the demo" in [button.label for button in at.button]
    assert "tailbudget import" in words(at)


def test_the_data_page_of_an_empty_home_can_be_used(open_page: Open) -> None:
    at = open_page("data")
    assert not at.exception
    assert "Nothing was imported yet." in words(at)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_drawn_on_a_small_home(open_page: Open, log_home: Path, page: str) -> None:
    assert not open_page(page).exception


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("query", [{}, {"tenant": HOSTILE[0]}, {"tenant": "<b>nobody</b>"}])
def test_labels_of_the_data_are_text_on_every_page(
    open_page: Open, hostile_home: Path, page: str, query: dict[str, str]
) -> None:
    at = open_page(page, **query)
    assert not at.exception
    in_html = "".join(element.proto.body for element in at.get("html"))
    assert not [mark for mark in ("<script>alert", "<b>nobody", 'href="javascript') if mark in in_html]
    in_markdown = "".join(element.value for kind in (at.markdown, at.caption, at.warning) for element in kind)
    assert not [
        mark for mark in ("<script>alert", "<b>nobody", "](javascript", "**bold**") if mark in in_markdown
    ]


def test_the_overview_counts_what_is_in_no_latency_figure(open_page: Open, log_home: Path) -> None:
    shown = words(open_page())
    assert "156 ok" in shown
    assert "4 failed" in shown


def test_a_link_with_filters_shows_those_figures(open_page: Open, log_home: Path) -> None:
    at = open_page("hops", tenant="acme", q="0.95")
    # Rank 75 of 78: the failed request of 1039 ms is no sample.
    assert "A request at the p95: 1.07 s" in words(at)
    assert "n = 78" in words(at)


def test_a_filter_changed_on_the_page_is_in_the_address_and_keeps_the_others(
    open_page: Open, log_home: Path
) -> None:
    at = open_page("", workload="chat")
    at.multiselect(key="filter-tenant").select("=acme").run()
    assert at.query_params["tenant"] == "acme"
    assert at.query_params["workload"] == "chat"
    assert "78 ok" in words(at)


@pytest.mark.parametrize("page", PAGES)
def test_four_filters_are_the_same_on_every_page_and_in_its_links(
    open_page: Open, log_home: Path, page: str
) -> None:
    chosen = {"tenant": "acme", "workload": "chat", "region": "~", "since": "2026-11-01T00:00Z"}
    at = open_page(page, **chosen)
    assert not at.exception
    assert {name: at.query_params[name] for name in chosen} == chosen
    links = [parse_qs(link.proto.query_string.lstrip("?")) for link in at.get("page_link")]
    assert len(links) >= len(PAGES)
    for link in links:
        assert {name: values for name, values in link.items() if name in chosen} == {
            name: [value] for name, value in chosen.items()
        }


def test_a_choice_that_stays_valid_is_kept_when_another_filter_changes(
    open_page: Open, log_home: Path
) -> None:
    at = open_page("hops", tenant="globex")
    at.multiselect(key="filter-workload").select("=chat").run()
    assert at.multiselect(key="filter-tenant").value == ["=globex"]
    assert at.query_params["tenant"] == "globex"


def test_a_choice_the_data_does_not_have_stays_and_is_said_to_match_nothing(
    open_page: Open, log_home: Path
) -> None:
    at = open_page("", tenant="nobody")
    assert at.multiselect(key="filter-tenant").value == ["=nobody"]
    assert "No request has tenant “nobody”" in words(at)
    assert "No request matches" in words(at)


def test_an_unusable_address_is_said_and_everything_shown(open_page: Open, log_home: Path) -> None:
    shown = words(open_page("", since="yesterday-ish"))
    assert "cannot be used" in shown
    assert "156 ok" in shown


def test_clearing_the_filter_empties_the_address(open_page: Open, log_home: Path) -> None:
    at = open_page("", tenant="acme")
    at.button(key="clear-filter").click().run()
    assert "tenant" not in at.query_params
    assert "156 ok" in words(at)


def test_the_percentile_is_kept_in_the_address(open_page: Open, log_home: Path) -> None:
    at = open_page("hops")
    at.segmented_control(key="pick-q").set_value("0.9").run()
    assert at.query_params["q"] == "0.9"
    assert "A request at the p90" in words(at)


def test_split_and_metric_are_kept_in_the_address(open_page: Open, log_home: Path) -> None:
    at = open_page("hops")
    at.segmented_control(key="pick-by").set_value("tenant").run()
    at.selectbox(key="choose-metric").set_value("queue").run()
    assert at.query_params["by"] == "tenant"
    assert at.query_params["metric"] == "queue"


def test_the_percentile_goes_along_into_the_links_to_requests(open_page: Open, log_home: Path) -> None:
    at = open_page("hops", q="0.9")
    tables = "".join(element.proto.body for element in at.get("html"))
    assert "traces?q=0.9&amp;order=longest&amp;hop=queue" in tables


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, "slowest first"),
        ({"order": "nearest", "q": "0.95"}, "nearest in rank to the p95"),
        ({"order": "longest", "hop": "queue"}, "longest queue first"),
        ({"hop": "decode"}, "only those where decode takes the largest part"),
        ({"order": "failed"}, "1 to 4 of 4 requests, failed"),
    ],
)
def test_each_list_of_requests_says_what_it_holds(
    open_page: Open, log_home: Path, query: dict[str, str], said: str
) -> None:
    at = open_page("traces", **query)
    assert not at.exception
    assert said in words(at)


def test_another_list_begins_at_its_beginning(open_page: Open, log_home: Path) -> None:
    at = open_page("traces", offset="50")
    assert "51 to 75 of 156 requests" in words(at)
    at.segmented_control(key="pick-order").set_value("failed").run()
    assert "offset" not in at.query_params
    assert "1 to 4 of 4 requests" in words(at)


def test_a_request_is_shown_with_its_neighbours_in_rank(open_page: Open, log_home: Path) -> None:
    at = open_page("traces", request="r-0-50", tenant="acme")
    shown = words(at)
    assert not at.exception
    assert "Next slower (1.05 s)" in shown
    assert "Next faster (1.05 s)" in shown
    assert "rank 29 of 78" in shown


def test_times_of_an_unfinished_request_are_unknown_and_not_zero(
    open_page: Open, home: Path, tmp_path: Path
) -> None:
    log = tmp_path / "events.jsonl"
    log.write_text(
        '{"request_id": "u", "ts_unix_nano": "1796083260000000000", "event": "request_sent"}\n'
        '{"request_id": "u", "ts_unix_nano": "1796083260400000000", "event": "chunk", "n_tokens": 1}\n'
    )
    import_into(home, log)
    shown = words(open_page("traces", request="u"))
    assert "incomplete" in shown
    assert '<b>end to end</b></td><td class="r"><b>not recorded</b>' in shown
    assert "none" not in shown.partition("Largest hop")[2].partition("Prompt tokens")[0]


def test_an_unknown_request_is_one_sentence(open_page: Open, log_home: Path) -> None:
    at = open_page("traces", request="<i>nobody</i>")
    assert not at.exception
    assert "There is no request" in words(at)


def test_a_long_trace_says_how_many_of_its_spans_are_drawn(
    open_page: Open, home: Path, tmp_path: Path
) -> None:
    import_into(home, traces(tmp_path / "traces.json", 600))
    at = open_page("traces", request=TRACE_ID)
    assert not at.exception
    assert "showing 500 of 600 spans" in words(at)


def test_new_data_is_announced_and_shown_on_a_click(open_page: Open, log_home: Path, tmp_path: Path) -> None:
    at = open_page()
    import_into(log_home, request_log(tmp_path / "more.jsonl", ("initech",), each=39, prefix="new"))
    at.run()
    assert "New data has been imported." in words(at)
    assert "156 ok" in words(at)
    at.button(key="show-new-data").click().run()
    assert "New data has been imported." not in words(at)
    assert "195 ok" in words(at)


def test_the_data_page_lists_imports_whose_counts_add_up(open_page: Open, log_home: Path) -> None:
    shown = words(open_page("data"))
    assert "160 records read = 160 accepted + 0 rejected + 0 duplicates + 0 already known." in shown
