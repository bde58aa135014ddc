from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from budget_model.services.import_report import ImportReport, Progress
from budget_model.views import bring_in, jobs
from tests.app.conftest import Open
from tests.app.homes import request_log
from tests.app.test_pages import words


def finished() -> jobs.Job:
    """The job, once it has ended."""
    job = jobs.jobs().current
    assert job is not None
    for _ in range(600):
        if not job.is_running:
            return job
        time.sleep(0.1)
    raise AssertionError("the job did not end")


def test_an_uploaded_file_is_imported_and_its_copy_removed(
    open_page: Open, home: Path, tmp_path: Path
) -> None:
    content = request_log(tmp_path / "log.jsonl", ("acme",)).read_bytes()
    bring_in.start([("log.jsonl", io.BytesIO(content))], {"region": "eu"})
    report = finished().answer
    assert isinstance(report, ImportReport)
    assert report.totals.accepted == 80
    assert not list(home.glob("uploads-*"))
    at = open_page("data")
    assert not at.exception
    assert "80 records in, 80 requests." in words(at)


@pytest.mark.parametrize(
    "content", [b"", b"null", b"123", b"[]", b"{}", b"\x00\x01\x02", b'{"resourceSpans": [']
)
def test_a_bad_file_is_one_sentence_and_the_page_stays_usable(
    open_page: Open, home: Path, content: bytes
) -> None:
    bring_in.start([("bad.json", io.BytesIO(content))], {})
    finished()
    at = open_page("data")
    assert not at.exception
    (message,) = [error.value for error in at.error]
    assert "Nothing of it was imported." in message
    assert "Nothing was imported yet." in words(at)


def test_a_name_with_a_path_in_it_stays_below_the_upload_folder(home: Path) -> None:
    bring_in.start([("../../evil.csv", io.BytesIO(b""))], {})
    finished()
    assert not list(home.parent.rglob("evil.csv"))


def test_a_second_job_waits_for_the_first(home: Path) -> None:
    board = jobs.Jobs()
    assert board.start("first", lambda job: job.cancel.wait(30))
    assert not board.start("second", lambda _: None)
    assert board.current is not None
    board.current.cancel.set()


def test_a_failure_nobody_foresaw_is_said_and_logged(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    board = jobs.Jobs()
    board.start("work", lambda _: 1 / 0)
    job = board.current
    assert job is not None
    for _ in range(100):
        if not job.is_running:
            break
        time.sleep(0.05)
    assert "not understood" in job.refusal
    assert "ZeroDivisionError" in caplog.text


def test_progress_names_rate_and_time_left() -> None:
    done, said = jobs.in_words(Progress("reading", "/x/a.jsonl", 250, 1000, 50, 25.0, 6.0))
    assert done == 0.25
    assert said == "a.jsonl: 250 B of 1 kB, 50 records, 25 a second, 6.00 s left"
