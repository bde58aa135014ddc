"""Files dropped on the Data page: what is wrong is said in one sentence, and harms nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.small_log import write_log
from tests.browser.visits import Visit, Visitor


def upload(tab: Visit, *files: Path) -> None:
    tab.page.locator("input[type=file]").first.set_input_files(files)
    tab.settle()
    tab.page.get_by_role("button", name="Import", exact=True).click()
    expect(tab.page.locator(".st-key-job-outcome")).to_be_visible(timeout=60_000)
    tab.settle()


def test_a_bad_file_is_refused_in_words_and_what_was_there_stays(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    tailbudget("import", write_log(tmp_path / "good.csv", "acme", 400), home=home)
    bad = tmp_path / "holiday <b>photo.json"
    bad.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(2000))
    tab = visit(serve(home), "/data")
    upload(tab, bad)
    outcome = tab.page.locator(".st-key-job-outcome").inner_text()
    assert "PNG" in outcome
    assert "Traceback" not in outcome
    assert tailbudget("percentiles", home=home)["rows"][0]["n"] == 400


def test_good_rows_of_a_bad_file_go_in_and_the_others_are_listed(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    log = write_log(tmp_path / "mixed.csv", "acme", 400)
    with log.open("a", encoding="utf-8") as file:
        file.write("acme-x,2026-11-01T00:00:00Z,chat,acme,fast,10,40,300,650\n")
    tab = visit(serve(home), "/data")
    upload(tab, log)
    tab.page.get_by_text("Why 1 record of").click()
    expect(tab.page.locator(".st-key-job-outcome code").get_by_text("fast").first).to_be_visible()
    assert tailbudget("percentiles", home=home)["rows"][0]["n"] == 400
