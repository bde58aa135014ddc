from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from budget_model.domain.verdict import pass_most
from tests.commands.conftest import Lattices
from tests.commands.homes import answer, exit_code, import_csv, run
from tests.lattice import N, lattice_ms

TABLE = [
    ("indep", "5s", 4500, 2796.170, 3501.277, 1.021402, 4143.666, 425.681, 3688.175),
    ("load", "5s", 4500, 2796.170, 3501.277, 0.762631, 3634.046, 772.569, 2842.522),
    ("comon", "5s", 4500, 2796.170, 2796.170, 0.586797, 2796.170, 596.011, 2191.396),
    ("indep", "8s", 7200, 5496.170, 6201.277, 1.693813, 6871.530, 664.155, 6173.100),
    ("indep", "1500ms", 1350, -353.830, 351.277, 0.175685, 712.728, 56.773, 399.804),
]
LINES = {
    "5s": [500, 17.693, 82.685, 13.274, 159.392, 90.994, 425.681, 3688.175, 22.106],
    "1500ms": [150, 16.653, 161.178, 13.256, 314.023, 365.891, 56.773, 399.804, 22.423],
}
KEYS = [
    "target_ms",
    "percentile",
    "headroom",
    "effective_target_ms",
    "n",
    "failed",
    "feasible",
    "shortfall_ms",
    "observed",
    "compute",
    "lines",
    "guard_limits",
    "tokens",
    "warnings",
]
HOPS = ["client", "network", "gateway", "retrieval", "queue", "prefill", "decode", "postprocess"]


def lines_of(found: dict[str, Any]) -> dict[str, float]:
    return {line["name"]: line["ms"] for line in found["lines"]}


def assert_adds_up(found: dict[str, Any]) -> None:
    """Lines and headroom add to the target in whole microseconds, the printed ones in milliseconds."""
    assert sum(round(line["ms"] * 1000) for line in found["lines"]) == round(found["target_ms"] * 1000)
    assert sum(line["printed_ms"] for line in found["lines"]) == round(found["target_ms"])
    assert min(line["ms"] for line in found["lines"]) >= 0
    assert min(line["printed_ms"] for line in found["lines"]) >= 0


@pytest.mark.parametrize(
    ("variant", "target", "effective", "naive", "det", "scale", "joint", "pre", "dec"), TABLE
)
def test_an_imported_log_gives_the_published_budgets(
    lattice_home: Lattices,
    variant: str,
    target: str,
    effective: float,
    naive: float,
    det: float,
    scale: float,
    joint: float,
    pre: float,
    dec: float,
) -> None:
    found = answer(lattice_home(variant), "allocate", "--target", target, "--headroom", "10%")
    assert found["feasible"] is True
    assert found["shortfall_ms"] is None
    assert found["effective_target_ms"] == effective
    published = {"naive_ms": naive, "deterministic_ms": det, "scale": scale, "joint_ms": joint}
    assert found["compute"] == pytest.approx(published, rel=1e-3)
    lines = lines_of(found)
    assert (lines["prefill"], lines["decode"]) == pytest.approx((pre, dec), rel=1e-3)
    assert_adds_up(found)


@pytest.mark.parametrize("target", LINES)
def test_every_line_is_the_published_one(lattice_home: Lattices, target: str) -> None:
    found = answer(lattice_home("indep"), "allocate", "--target", target)
    assert [line["name"] for line in found["lines"]] == ["headroom", *HOPS]
    assert [line["ms"] for line in found["lines"]] == pytest.approx(LINES[target], rel=1e-3)


def test_the_answer_has_the_documented_shape(lattice_home: Lattices) -> None:
    found = answer(lattice_home("load"), "allocate", "--target", "5s")
    assert [key for key in found if key in KEYS] == KEYS
    assert (found["target_ms"], found["percentile"], found["headroom"]) == (5000, 99, 0.1)
    assert (found["n"], found["failed"]) == (N, 0)
    assert list(found["observed"]) == ["e2e_ms", "ci95_ms", "with_failures_ms", "bars"]
    assert found["observed"]["e2e_ms"] == pytest.approx(5639.142, rel=1e-6)
    assert found["observed"]["ci95_ms"] == pytest.approx([5460.662, 5836.220], rel=1e-3)
    assert {line["kind"] for line in found["lines"]} == {"headroom", "overhead", "compute"}
    assert found["guard_limits"]["prefill"] == pytest.approx(775.727, rel=1e-3)
    assert found["guard_limits"]["decode"] == pytest.approx(2858.319, rel=1e-3)


@pytest.mark.parametrize(
    ("variant", "prefill", "decode"), [("indep", 1038.941, 3828.182), ("load", 775.727, 2858.319)]
)
def test_guard_limits_are_the_published_ones(
    lattice_home: Lattices, variant: str, prefill: float, decode: float
) -> None:
    limits = answer(lattice_home(variant), "allocate", "--target", "5s")["guard_limits"]
    assert (limits["prefill"], limits["decode"]) == pytest.approx((prefill, decode), rel=1e-3)


def test_an_infeasible_target_is_an_understood_no_with_a_way_out(
    lattice_home: Lattices, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = lattice_home("comon")
    assert exit_code(monkeypatch, home, "allocate", "--target", "1500ms", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["feasible"] is False
    assert found["shortfall_ms"] == pytest.approx(353.83, rel=1e-3)
    assert (found["lines"], found["compute"]["scale"], found["compute"]["joint_ms"]) == ([], None, None)
    assert found["compute"]["naive_ms"] == pytest.approx(-353.83, rel=1e-3)
    assert found["cut_first"][0]["hop"] == "queue"
    nearest = f"{math.ceil(found['nearest_target_ms'])}ms"
    assert answer(home, "allocate", "--target", nearest)["feasible"] is True


@pytest.mark.parametrize("variant", ["indep", "load", "comon"])
def test_equal_exceedance_gives_the_published_limits_whatever_the_dependence(
    lattice_home: Lattices, variant: str
) -> None:
    found = answer(lattice_home(variant), "allocate", "--target", "5s", "--strategy", "equal-exceedance")
    published = [500, 34.08, 215.68, 28.44, 348.52, 272.61, 703.98, 2843.94, 52.73]
    assert [line["ms"] for line in found["lines"]] == pytest.approx(published, rel=1e-3)
    assert_adds_up(found)


@pytest.mark.parametrize(("variant", "total"), [("indep", 8865.97), ("load", 8545.04), ("comon", 6468.97)])
def test_joint_coverage_asks_for_the_published_total(
    lattice_home: Lattices, variant: str, total: float
) -> None:
    found = answer(lattice_home(variant), "allocate", "--target", "12s", "--strategy", "joint-coverage")
    assert sum(line["ms"] for line in found["lines"][1:]) == pytest.approx(total, rel=1e-3)
    assert_adds_up(found)


def test_joint_coverage_that_does_not_fit_is_an_understood_no(
    lattice_home: Lattices, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = lattice_home("indep")
    assert exit_code(monkeypatch, home, "allocate", "--target", "5s", "--strategy", "joint-coverage") == 1


@pytest.mark.parametrize("target", ["4999.999ms", "5.0005s", "7777.7ms"])
@pytest.mark.parametrize("strategy", ["euler", "equal-exceedance", "proportional", "cost-minimal"])
def test_every_rule_adds_to_targets_that_are_not_round(
    lattice_home: Lattices, target: str, strategy: str
) -> None:
    options = ("--target", target, "--headroom", "3.3%", "--strategy", strategy)
    assert_adds_up(answer(lattice_home("load"), "allocate", *options))


def test_a_lock_is_held_and_the_rest_adds_up(lattice_home: Lattices) -> None:
    options = ("--target", "5s", "--lock", "retrieval=400ms", "--lock", "decode=2s")
    found = answer(lattice_home("load"), "allocate", *options)
    lines = lines_of(found)
    assert (lines["retrieval"], lines["decode"]) == (400, 2000)
    assert_adds_up(found)


def test_the_recommended_headroom_turns_the_interval_into_a_target(lattice_home: Lattices) -> None:
    totals = sorted(map(sum, lattice_ms("load")))
    most = pass_most(N, 0.99)
    assert most is not None
    expected = 1 - totals[9907 - 1] / totals[N - most - 1]
    found = answer(lattice_home("load"), "allocate", "--target", "5s", "--headroom", "1%")
    assert found["recommended_headroom"] == pytest.approx(expected, rel=1e-3)
    assert any("below the" in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    "options",
    [
        ("--target", "0ms"),
        ("--target", "soon"),
        ("--target", "5s", "--percentile", "100"),
        ("--target", "5s", "--percentile", "nan"),
        ("--target", "5s", "--headroom", "100%"),
        ("--target", "5s", "--headroom", "-0.1"),
        ("--target", "5s", "--headroom", "nan"),
        ("--target", "5s", "--lock", "unattributed=1s"),
        ("--target", "5s", "--lock", "retrieval"),
        ("--target", "5s", "--strategy", "token-need"),
        ("--target", "5s", "--decode-need", "1s"),
        ("--target", "99999999999999999999s"),
        ("--target", "86400.001s"),
        ("--target", f"{'9' * 400}s"),
        ("--target", f"{'9' * 5000}s"),
        ("--target", "5s", "--lock", "queue=99999999999999999999s"),
        ("--target", "5s", "--lock", "queue=1s", "--lock", "queue=2s"),
    ],
)
def test_a_question_without_sense_is_refused_in_one_line(
    lattice_home: Lattices,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
) -> None:
    assert exit_code(monkeypatch, lattice_home("load"), "allocate", *options) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_longest_target_is_answered(lattice_home: Lattices) -> None:
    assert answer(lattice_home("load"), "allocate", "--target", "24h")["feasible"] is True


def test_what_is_given_for_another_strategy_or_twice_is_named(
    lattice_home: Lattices, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("allocate", "--target", "5s")
    for options, said in (
        (("--decode-need", "1s"), "--decode-need is for --strategy token-need, not for euler"),
        (("--lock", "queue=1s", "--lock", "queue=2s"), "'queue=2s': queue has a contract already"),
    ):
        assert exit_code(monkeypatch, lattice_home("load"), *asked, *options) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(("target", "code"), [("1500ms", 1), ("5s", 0)])
def test_without_lines_it_is_said_that_nothing_was_saved(
    own_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    target: str,
    code: int,
) -> None:
    options = ("--target", target, "--lock", "queue=2s", "--save", "chat [x]")
    assert exit_code(monkeypatch, own_home, "allocate", *options) == code
    assert ("nothing was saved as chat [x]" in capsys.readouterr().err) is (code == 1)


def test_a_percentile_is_never_rounded_up_to_all_of_them(
    lattice_home: Lattices, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("allocate", "--target", "5s", "--percentile", "99.9999999")
    assert exit_code(monkeypatch, lattice_home("load"), *asked) == 2
    said = capsys.readouterr().err
    assert "cannot carry a p99.9999999 budget" in said
    assert "p100" not in said


def small_log(folder: Path, n: int, failed: int = 0) -> Path:
    rows = [(f"r{i}", "error" if i < failed else "ok", 100 + i, 300, 500) for i in range(n)]
    import_csv(folder / "home", folder / "logs", "request_id,status,gateway_ms,prefill_ms,decode_ms", rows)
    return folder / "home"


def test_too_few_requests_are_no_ground_for_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = small_log(tmp_path, 298)
    assert exit_code(monkeypatch, home, "allocate", "--target", "5s", "--json") == 2
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["feasible"], found["lines"]) == (False, [])
    assert "298" in captured.err
    assert "299" in captured.err
    assert answer(home, "allocate", "--target", "5s", "--percentile", "95")["feasible"] is True


@pytest.mark.parametrize(
    ("failed", "code", "said"),
    [
        (0, 0, ""),
        (7, 0, "with 7 of 1,000 failed, 99 % of all are 99.7 % of the ok ones"),
        (8, 2, "so near the slowest of the others"),
        (11, 2, "more than the 1.0% that p99 leaves"),
    ],
)
def test_failures_take_their_part_of_the_percentile_and_rule_a_budget_out_when_too_little_is_left(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failed: int,
    code: int,
    said: str,
) -> None:
    home = small_log(tmp_path, 1000, failed)
    assert exit_code(monkeypatch, home, "allocate", "--target", "5s", "--json") == code
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["failed"] == failed
    assert any("failed" in warning for warning in found["warnings"]) is bool(failed)
    assert any(said.lower() in warning.lower() for warning in found["warnings"])


def test_hops_that_no_request_records_are_named_and_get_no_line(tmp_path: Path) -> None:
    found = answer(small_log(tmp_path, 400), "allocate", "--target", "5s")
    assert set(lines_of(found)) == {"headroom", "gateway", "prefill", "decode"}
    (said,) = (warning for warning in found["warnings"] if "Not instrumented" in warning)
    assert "client, network, retrieval, queue, postprocess" in said
    assert "gateway" not in said


def test_without_prefill_or_decode_there_is_nothing_to_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(f"r{i}", 1000 + i, 100) for i in range(400)]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,e2e_ms,gateway_ms", rows)
    assert exit_code(monkeypatch, tmp_path / "home", "allocate", "--target", "5s") == 2
    assert "No request records prefill or decode" in capsys.readouterr().err


def test_tokens_are_what_the_lines_pay_for(tmp_path: Path) -> None:
    header = "request_id,prompt_tokens,output_tokens,gateway_ms,prefill_ms,decode_ms,ttft_ms"
    rows = [
        (f"r{i}", tokens, 101, 50, tokens / 10, 2000, 50 + tokens / 10)
        for i, tokens in enumerate(1100 + 20 * (i % 140) for i in range(14_000))
    ]
    import_csv(tmp_path / "home", tmp_path / "logs", header, rows)
    found = answer(tmp_path / "home", "allocate", "--target", "2s")
    lines = lines_of(found)
    (row,) = found["tokens"]
    assert (row["bucket"], row["prompt_n"], row["output_n"], row["tpot_ms"]) == ("1k-4k", 14_000, 14_000, 20)
    assert row["max_output_tokens"] == 1 + math.floor(lines["decode"] / 20)
    assert 0.98 * 10 * lines["prefill"] <= row["max_prompt_tokens"] <= 10 * lines["prefill"]


def test_the_table_prints_lines_that_add_and_says_what_compute_must_do(lattice_home: Lattices) -> None:
    shown = run(lattice_home("load"), "allocate", "--target", "5s").stdout
    assert "Compute must run in 76 % of today's time" in " ".join(shown.split())
    assert "2,796" in shown
    assert "3,501" in shown


def test_speed_that_costs_more_is_bought_less_by_the_square_root(lattice_home: Lattices) -> None:
    asked = ("allocate", "--target", "5s", "--strategy", "cost-minimal")
    alike = lines_of(answer(lattice_home("load"), *asked))
    uneven = lines_of(answer(lattice_home("load"), *asked, "--weight", "decode=4"))
    assert alike["decode"] == pytest.approx(alike["prefill"], abs=0.002)
    assert uneven["decode"] == pytest.approx(2 * uneven["prefill"], abs=0.004)
    assert uneven["decode"] + uneven["prefill"] == pytest.approx(
        alike["decode"] + alike["prefill"], abs=0.002
    )


@pytest.mark.parametrize("weight", ["decode", "decode=x", "decode=0", "decode=-1", "decode=inf", "queue=2"])
def test_a_weight_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, lattice_home: Lattices, weight: str
) -> None:
    asked = ("allocate", "--target", "5s", "--strategy", "cost-minimal", "--weight", weight)
    assert exit_code(monkeypatch, lattice_home("load"), *asked) == 2


def test_weights_are_refused_by_a_strategy_that_has_no_use_for_them(
    monkeypatch: pytest.MonkeyPatch, lattice_home: Lattices
) -> None:
    assert (
        exit_code(monkeypatch, lattice_home("load"), "allocate", "--target", "5s", "--weight", "decode=4")
        == 2
    )
