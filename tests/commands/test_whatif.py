from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.domain.whatif.presets import PRESETS
from tests.commands.conftest import Lattices
from tests.commands.homes import answer, exit_code, import_csv, run

PUBLISHED = [
    (("--cache", "0.3:8"), 4350.189, 5444.139),
    (("--cache", "0.5:8"), 4285.860, 5264.897),
    (("--cache", "0.9:8"), 4157.258, 4878.819),
    (("--speculate", "2"), 2667.987, 3752.714),
    (("--speculate", "2.5"), 2347.528, 3379.965),
    (("--speculate", "3"), 2155.696, 3135.030),
    (("--shorter-outputs", "0.8"), 3705.244, 4885.274),
    (("--cap-output", "p95"), 3808.505, 4799.220),
    (("--route", "0.5:random"), 4060.141, 5026.879),
    (("--route", "0.8:random"), 3570.267, 4193.202),
    (("--route", "0.8:shortest"), 4415.079, 5639.142),
    (("--route", "0.3:longest"), 2658.450, 2732.326),
    (("--route", "0.3:longest:0.3:0.4"), 2658.450, 2732.326),
    (("--parallel-retrieval", "0.6"), 4351.889, 5558.408),
    (("--hedge-retrieval", "p95"), 4398.886, 5639.142),
    (("--no-retries",), 4415.079, 5639.142),
]


@pytest.mark.parametrize("variant", ["indep", "load"])
@pytest.mark.parametrize(("options", "independent", "load"), PUBLISHED)
def test_a_tactic_moves_the_p99_of_an_imported_log_as_published(
    lattice_home: Lattices, variant: str, options: tuple[str, ...], independent: float, load: float
) -> None:
    before, after = (4415.079, independent) if variant == "indep" else (5639.142, load)
    found = answer(lattice_home(variant), "whatif", *options)
    assert found["before_ms"] == pytest.approx(before, rel=1e-3)
    assert found["after_ms"] == pytest.approx(after, rel=1e-3)
    assert found["change_ms"] == pytest.approx(found["after_ms"] - found["before_ms"], abs=1e-6)
    for side in ("before_ms", "after_ms"):
        assert sum(bar[side] for bar in found["bars"]) == pytest.approx(found[side], rel=1e-9)


def test_the_change_has_a_paired_interval_around_it(lattice_home: Lattices) -> None:
    found = answer(lattice_home("load"), "whatif", "--speculate", "2")
    low, high = found["interval_ms"]
    assert low < found["change_ms"] < high < 0


def test_tactics_stack_in_the_order_they_are_given(lattice_home: Lattices) -> None:
    first = answer(lattice_home("load"), "whatif", "--cap-output", "p95", "--route", "0.3:longest")
    second = answer(lattice_home("load"), "whatif", "--route", "0.3:longest", "--cap-output", "p95")
    kinds = [tactic["tactic"] for tactic in first["tactics"]]
    assert kinds == ["output-cap", "smaller-model"]
    assert [tactic["tactic"] for tactic in second["tactics"]] == kinds[::-1]
    assert first["after_ms"] != pytest.approx(second["after_ms"], rel=1e-3)


def test_every_tactic_says_what_it_assumes_and_what_was_published(lattice_home: Lattices) -> None:
    found = answer(lattice_home("indep"), "whatif", "--cache", "0.5:8", "--shorter-outputs", "0.9")
    cache, shorter = found["tactics"]
    assert cache["parameters"] == {"hit_share": 0.5, "speedup": 8}
    assert "long prompts" in cache["assumption"]
    assert "60 times" in cache["published"]
    assert "MLSys" in cache["source"]
    assert "proportional" in shorter["assumption"]
    assert (shorter["published"], shorter["source"]) == (None, None)


def test_a_hedge_gains_nothing_when_both_calls_share_the_cause(lattice_home: Lattices) -> None:
    home = lattice_home("indep")
    alone = answer(home, "whatif", "--hedge-retrieval", "p95")
    assert alone["if_hedges_share_the_cause_ms"] == alone["before_ms"]
    stacked = answer(home, "whatif", "--hedge-retrieval", "p95", "--speculate", "2")
    assert stacked["if_hedges_share_the_cause_ms"] == pytest.approx(2667.987, rel=1e-3)
    assert answer(home, "whatif", "--speculate", "2")["if_hedges_share_the_cause_ms"] is None
    shown = " ".join(run(home, "whatif", "--hedge-retrieval", "p95").stdout.split())
    assert "hedging gains nothing: p99 would be 4,415 ms" in shown


def test_presets_are_ranked_by_what_they_buy(lattice_home: Lattices) -> None:
    ranked = answer(lattice_home("load"), "whatif", "--rank")["ranked"]
    assert {one["name"] for one in ranked} == {preset.name for preset in PRESETS}
    changes = [one["change_ms"] for one in ranked]
    assert changes == sorted(changes)
    assert ranked[0]["name"] == "Smaller model for the longest answers"
    assert ranked[0]["after_ms"] == pytest.approx(2732.326, rel=1e-3)
    assert all(tactic["published"] and tactic["source"] for one in ranked for tactic in one["tactics"])


def test_the_table_shows_each_hop_and_the_interval(lattice_home: Lattices) -> None:
    shown = " ".join(run(lattice_home("load"), "whatif", "--speculate", "2").stdout.split())
    assert "decode" in shown
    assert "3,753" in shown
    assert "Change -1,886 ms, 95 % interval -1,895 .. -1,828 ms" in shown


def test_few_requests_have_no_interval(tmp_path: Path) -> None:
    rows = [(f"r{i}", 300 + i, 500) for i in range(999)]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,prefill_ms,decode_ms", rows)
    found = answer(tmp_path / "home", "whatif", "--speculate", "2")
    assert (found["n"], found["interval_ms"]) == (999, None)
    said = run(tmp_path / "home", "whatif", "--speculate", "2").stdout
    assert "There is no interval: at this percentile a change has one from 1,000 requests on." in said


@pytest.mark.parametrize(("percentile", "least_n"), [("99.99", "36,887"), ("0.01", "36,887")])
@pytest.mark.parametrize("options", [("--speculate", "2"), ("--rank",)])
def test_a_percentile_beyond_the_sample_has_no_interval_and_it_is_said_once(
    lattice_home: Lattices, options: tuple[str, ...], percentile: str, least_n: str
) -> None:
    asked = ("whatif", "--percentile", percentile, *options)
    found = answer(lattice_home("load"), *asked)
    assert {one["interval_ms"] for one in found.get("ranked", [found])} == {None}
    said = run(lattice_home("load"), *asked).stdout
    assert said.count(f"has one from {least_n} requests on") == 1


def test_filters_choose_whose_requests_are_changed(tmp_path: Path) -> None:
    rows = [(f"r{i}", ("acme", "globex")[i % 2], 300, 500 + 500 * (i % 2)) for i in range(400)]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,tenant,prefill_ms,decode_ms", rows)
    found = answer(tmp_path / "home", "whatif", "--speculate", "2", "--tenant", "globex")
    assert (found["n"], found["before_ms"], found["after_ms"]) == (200, 1300, 800)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--rank", "--speculate", "2"),
        ("--cache", "0.5"),
        ("--cache", "1.5:8"),
        ("--cache", "nan:8"),
        ("--speculate", "0.5"),
        ("--speculate", "fast"),
        ("--route", "0.5:biggest"),
        ("--route", "0.5:random:0.3"),
        ("--route", "0.5:random:-1:0.4"),
        ("--cap-output", "95"),
        ("--cap-output", "p101"),
        ("--parallel-retrieval", "0.3"),
        ("--network", "-1"),
        ("--speculate", "2", "--percentile", "100"),
        ("--speculate", "2", "--tenant", "nobody"),
    ],
)
def test_what_cannot_be_tried_is_refused_in_one_line(
    lattice_home: Lattices,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
) -> None:
    assert exit_code(monkeypatch, lattice_home("load"), "whatif", *options) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cap-output", "p101"), "--cap-output 'p101': p0 to p100 are accepted"),
        (("--hedge-retrieval", "pnan"), "--hedge-retrieval 'pnan': p0 to p100 are accepted"),
        (("--speculate", "0.5"), "--speculate '0.5': decode speed-up 0.5 is not accepted; give 1 or more"),
    ],
)
def test_a_refusal_names_what_was_typed_and_its_range(
    lattice_home: Lattices,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    assert exit_code(monkeypatch, lattice_home("load"), "whatif", *options) == 2
    assert capsys.readouterr().err.strip() == said
