from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Lattices
from tests.commands.homes import answer, exit_code, import_csv, run

HEADER = "request_id,status,gateway_ms,prefill_ms,decode_ms"


def log(folder: Path, late: int, failed: int = 0, n: int = 1000, target_ms: int = 5000) -> Path:
    """A load test's file: the first requests are late, those after them failed at once."""
    rows = [
        f"r{i},{'error' if late <= i < late + failed else 'ok'},10,100,{target_ms if i < late else 900}"
        for i in range(n)
    ]
    path = folder / f"loadtest-{late}-{failed}-{n}.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def home(lattice_home: Lattices, tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = Path(shutil.copytree(lattice_home("load"), tmp_path_factory.mktemp("check") / "home"))
    answer(copied, "allocate", "--target", "5s", "--save", "chat")
    return copied


def test_the_error_budget_is_one_figure_in_the_json_and_in_the_summary(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    file = log(tmp_path, late=2, failed=2)
    _, found = checked(monkeypatch, capsys, home, "--file", str(file), "--summary", str(summary))
    assert found["error_budget_left"] == pytest.approx(0.6)
    said = summary.read_text()
    assert "Error budget: 60.0 % left" in said
    assert "Allowed bad = (1 - 0.99) x 1,000 requests = 10. Bad = 4 (2 slow + 2 failed)" in said


def checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path, *options: str
) -> tuple[int, dict[str, Any]]:
    code = exit_code(monkeypatch, home, "check", "chat", "--json", *options)
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("late", "failed", "code", "decision"),
    [
        (4, 0, 0, "PASS"),
        (5, 0, 3, "INCONCLUSIVE"),
        (10, 0, 3, "INCONCLUSIVE"),
        (15, 0, 3, "INCONCLUSIVE"),
        (16, 0, 1, "FAIL"),
        (0, 16, 1, "FAIL"),
        (8, 8, 1, "FAIL"),
        (2, 2, 0, "PASS"),
    ],
)
def test_a_thousand_requests_decide_as_published_and_failures_count_as_bad(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    late: int,
    failed: int,
    code: int,
    decision: str,
) -> None:
    file = log(tmp_path, late, failed)
    ended, found = checked(monkeypatch, capsys, home, "--file", str(file))
    assert (ended, found["decision"], found["failed"]) == (code, decision, failed)
    verdict = found["e2e"]
    assert (verdict["n"], verdict["bad"]) == (1000, late + failed)
    assert (verdict["pass_most"], verdict["fail_least"]) == (4, 16)


@pytest.mark.parametrize(
    ("n", "late", "code"),
    [
        (100, 0, 3),
        (100, 4, 1),
        (299, 0, 0),
        (299, 7, 1),
        (500, 1, 0),
        (500, 2, 3),
        (2000, 12, 0),
        (2000, 29, 1),
    ],
)
def test_other_sizes_decide_as_published(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, late: int, code: int
) -> None:
    file = log(tmp_path, late, n=n)
    assert exit_code(monkeypatch, home, "check", "chat", "--file", str(file)) == code


def test_failing_fast_does_not_pass(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"r{i},ok,0,0,{4020 + i}" for i in range(985)] + [f"f{i},error,0,0,5" for i in range(15)]
    file = tmp_path / "fast.csv"
    file.write_text("\n".join([HEADER, *rows]) + "\n")
    code, found = checked(monkeypatch, capsys, home, "--file", str(file))
    assert (code, found["e2e"]["bad"], found["failed"]) == (1, 4 + 15, 15)


def test_an_inconclusive_check_names_the_number_that_would_decide(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = checked(monkeypatch, capsys, home, "--file", str(log(tmp_path, 5)))
    more = found["e2e"]["deciding_n"]
    assert more > 1000
    assert (
        exit_code(monkeypatch, home, "check", "chat", "--file", str(log(tmp_path, more // 200, n=more))) == 0
    )


def test_stored_traffic_is_checked_when_no_file_is_given(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = checked(monkeypatch, capsys, home)
    assert code == 1
    assert found["e2e_ms"] == pytest.approx(5639.142, rel=1e-6)
    bars = {line["hop"]: line["bar_ms"] for line in found["lines"]}
    assert bars["decode"] == pytest.approx(3738.530, rel=1e-3)


def test_a_hop_the_file_does_not_record_is_not_taken_for_fast(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = log(tmp_path, 0)
    _, found = checked(monkeypatch, capsys, home, "--file", str(file))
    lines = {line["hop"]: line for line in found["lines"]}
    assert (lines["queue"]["bar_ms"], lines["queue"]["n"], lines["queue"]["verdict"]) == (
        None,
        0,
        "INCONCLUSIVE",
    )
    assert lines["gateway"]["verdict"] == "PASS"
    assert "not recorded" in run(home, "check", "chat", "--file", str(file)).stdout


def test_a_file_leaves_the_stored_traffic_alone(home: Path, tmp_path: Path) -> None:
    before = answer(home, "percentiles", "--metric", "e2e")["rows"][0]["n"]
    run(home, "check", "chat", "--file", str(log(tmp_path, 0)))
    assert answer(home, "percentiles", "--metric", "e2e")["rows"][0]["n"] == before


def test_the_summary_is_appended_in_markdown(home: Path, tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("# Build\n")
    run(home, "check", "chat", "--file", str(log(tmp_path, 16)), "--summary", str(page))
    text = page.read_text()
    assert text.startswith("# Build\n### Latency budget chat version 1: FAIL\n")
    assert "16 of 1,000 requests missed 5,000 ms or failed" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {7}


@pytest.mark.parametrize(
    "options",
    [
        ("nobody",),
        ("chat", "--version", "9"),
        ("chat", "--file", "missing.jsonl"),
        ("chat", "--since", "soon"),
    ],
)
def test_what_cannot_be_checked_is_said_in_one_line(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: Sequence[str],
) -> None:
    assert exit_code(monkeypatch, home, "check", *options) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_file_without_a_single_request_decides_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "empty.csv"
    file.write_text(HEADER + "\n")
    assert exit_code(monkeypatch, home, "check", "chat", "--file", str(file)) in (2, 3)


def test_traffic_of_the_segment_alone_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"r{i}", ("acme", "globex")[i % 2], 100, 900 + 9000 * (i % 2)) for i in range(2000)]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,tenant,prefill_ms,decode_ms", rows)
    for tenant, code in (("acme", 0), ("globex", 1)):
        options = ("--target", "8s" if code else "2s", "--tenant", tenant, "--save", tenant)
        answer(tmp_path / "home", "allocate", *options)
        assert exit_code(monkeypatch, tmp_path / "home", "check", tenant) == code


def test_an_exported_budget_is_checked_where_there_is_no_store(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = tmp_path / "chat.json"
    exported.write_text(run(home, "budgets", "export", "chat", "--format", "json").stdout)
    for late, code in ((4, 0), (10, 3), (16, 1)):
        options = (str(exported), "--file", str(log(tmp_path, late)), "--json")
        assert exit_code(monkeypatch, tmp_path / "empty", "check", *options) == code
        found = json.loads(capsys.readouterr().out)
        assert (found["budget"], found["version"], found["e2e"]["bad"]) == ("chat", 1, late)
    assert not (tmp_path / "empty").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"target_us": 5000000', '"target_us": 0'),
        ('"q": 0.99', '"q": 1.5'),
        ('"prefill"', '"warp"'),
        ("{", "["),
    ],
)
def test_a_file_that_is_no_budget_is_refused_in_one_line(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
) -> None:
    text = run(home, "budgets", "export", "chat", "--format", "json").stdout
    assert old in text
    (tmp_path / "bad.json").write_text(text.replace(old, new))
    options = (str(tmp_path / "bad.json"), "--file", str(log(tmp_path, 4)))
    assert exit_code(monkeypatch, home, "check", *options) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"target_us": 5_000_001}, "content.lines: they add to"),
        ({"lines": []}, "content.lines: 0 lines"),
        ({"guard_limits_us": {"queue": -1.0}}, "content.guard_limits_us: "),
        ({"segment": [["colour", ["red"]]]}, "content.segment[0]: 'colour' is no dimension"),
        ({"evidence": {"n": -1, "failed": 0, "observed_us": 1, "derived_us": 1}}, "Object missing"),
    ],
)
@pytest.mark.parametrize("command", [("check",), ("publish", "mlflow", "--to", "http://127.0.0.1:9")])
def test_an_impossible_budget_is_refused_with_its_file_and_field(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    edit: dict[str, Any],
    words: str,
) -> None:
    budget = json.loads(run(home, "budgets", "export", "chat", "--format", "json").stdout)
    budget["content"] |= edit
    file = tmp_path / "edited.json"
    file.write_text(json.dumps(budget))
    options = (*command, str(file), "--file", str(log(tmp_path, 4)))
    assert exit_code(monkeypatch, home, *options) == 2
    (said,) = capsys.readouterr().err.strip().splitlines()
    assert str(file) in said
    assert words in said


def test_records_that_cannot_be_read_are_told(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = log(tmp_path, 0)
    file.write_text(file.read_text() + "broken,ok,soon,-1,900\n")
    _, found = checked(monkeypatch, capsys, home, "--file", str(file))
    assert (found["rejected"], found["e2e"]["n"]) == (1, 1000)
    assert "1 records could not be read" in run(home, "check", "chat", "--file", str(file)).stdout


def stored(home: Path, tmp_path: Path, *steps: tuple[str, str]) -> Path:
    """A copy of the home in which the budget went through these steps."""
    copied = Path(shutil.copytree(home, tmp_path / "copied"))
    for verb, who in steps:
        answer(copied, "budgets", verb, "chat", "--version", "1", "--as", who)
    return copied


@pytest.mark.parametrize("exported", [False, True])
@pytest.mark.parametrize(
    ("steps", "state", "said"),
    [
        ((), "draft", "version 1 is draft: nobody has promised it yet"),
        ((("propose", "ann"),), "proposed", "version 1 is proposed: it is put forward and not approved yet"),
        ((("propose", "ann"), ("approve", "bob")), "approved", ""),
        ((("retire", "ann"),), "retired", "version 1 is retired: it is out of use"),
    ],
)
def test_a_check_says_where_the_version_stands_and_decides_as_ever(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    steps: tuple[tuple[str, str], ...],
    state: str,
    said: str,
    exported: bool,
) -> None:
    copied = stored(home, tmp_path, *steps)
    name = "chat"
    if exported:
        name = str(tmp_path / "chat.json")
        Path(name).write_text(run(copied, "budgets", "export", "chat", "--format", "json").stdout)
    options = ("check", name, "--file", str(log(tmp_path, 0)))
    capsys.readouterr()
    assert exit_code(monkeypatch, copied, *options, "--json") == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["state"], found["decision"], told.err.strip()) == (state, "PASS", said)
    assert exit_code(monkeypatch, copied, *options) == 0
    told = capsys.readouterr()
    assert f"\nVersion 1 is {state}: " in told.out
    assert told.err.strip() == said


@pytest.mark.parametrize("command", [("check",), ("publish", "mlflow", "--to", "http://127.0.0.1:9")])
def test_options_that_would_change_nothing_are_refused_with_what_to_do(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    exported = tmp_path / "chat.json"
    exported.write_text(run(home, "budgets", "export", "chat", "--format", "json").stdout)
    for options, words in (
        ((str(exported), "--version", "1"), "leave --version out"),
        (("chat", "--file", str(log(tmp_path, 4)), "--since", "1d"), "leave one of them out"),
    ):
        assert exit_code(monkeypatch, home, *command, *options) == 2
        (said,) = capsys.readouterr().err.strip().splitlines()
        assert words in said


def test_a_summary_that_cannot_be_written_is_said_in_one_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--file", str(log(tmp_path, 4)), "--summary", str(tmp_path / "nowhere" / "page.md"))
    assert exit_code(monkeypatch, home, "check", "chat", *options) == 2
    assert "--summary" in capsys.readouterr().err
