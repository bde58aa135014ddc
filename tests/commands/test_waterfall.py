from __future__ import annotations

import json
from pathlib import Path

import pytest

from budget_model.errors import NoDataError
from tests.commands.homes import answer, import_csv, run
from tests.domain.lattices import lattice

HOPS = ("client", "network", "gateway", "retrieval", "queue", "prefill", "decode", "postprocess")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    table = (lattice("indep").hops[:, :8] / 1000).tolist()
    rows = [(f"r{i:05d}", *(f"{ms:.6f}" for ms in row)) for i, row in enumerate(table)]
    import_csv(folder / "home", folder / "logs", "request_id," + ",".join(f"{hop}_ms" for hop in HOPS), rows)
    return folder / "home"


def test_an_imported_log_gives_the_published_bars(home: Path) -> None:
    found = answer(home, "waterfall", "--percentile", "99")
    assert list(found) == ["n", "failed", "e2e_ms", "ci95_ms", "window", "bars", "sum_of_own_quantiles_ms"]
    assert (found["n"], found["failed"]) == (10007, 0)
    assert found["e2e_ms"] == pytest.approx(4415.079, rel=1e-3)
    assert found["ci95_ms"] == pytest.approx([4331.652, 4528.998], rel=1e-3)
    window = {"rank": 9907, "half_width": 50, "mean_ms": 4433.6396, "factor": 0.995814}
    assert found["window"] == pytest.approx(window, rel=1e-3)
    bars = {bar["hop"]: bar for bar in found["bars"]}
    assert [bars[hop]["printed_ms"] for hop in HOPS] == [18, 83, 13, 165, 92, 417, 3605, 22]
    assert list(bars["decode"]) == ["hop", "ms", "printed_ms", "own_quantile_ms"]
    assert found["sum_of_own_quantiles_ms"] == pytest.approx(6468.970, rel=1e-3)


def test_bars_of_the_json_add_to_the_percentile(home: Path) -> None:
    found = answer(home, "waterfall", "--percentile", "50")
    assert sum(round(bar["ms"] * 1000) for bar in found["bars"]) == round(found["e2e_ms"] * 1000)


def test_the_table_prints_whole_numbers_that_add(home: Path) -> None:
    shown = run(home, "waterfall").stdout
    assert "3,605" in shown
    assert "4,415" in shown
    assert "101 requests around rank 9,907" in shown


def test_a_request_under_a_millisecond_is_not_printed_as_zero(tmp_path: Path) -> None:
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,e2e_ms,decode_ms", [("a", 0.4, 0.3)])
    shown = run(tmp_path / "home", "waterfall").stdout
    rows = [line.split()[:2] for line in shown.splitlines() if line.strip()]
    assert [row for row in rows if row[0] in ("decode", "unattributed", "e2e")][1:] == [
        ["decode", "0.300"],
        ["unattributed", "0.100"],
        ["e2e", "0.400"],
    ]
    assert "95 % interval 0.400 .. ?" in shown


def test_a_short_hop_of_a_long_request_is_not_printed_as_zero(tmp_path: Path) -> None:
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,e2e_ms,queue_ms", [("a", 5000, 0.2)])
    [queue] = [line for line in run(tmp_path / "home", "waterfall").stdout.splitlines() if "queue" in line]
    assert "< 1" in queue


def test_without_an_ok_request_the_command_cannot_say(tmp_path: Path) -> None:
    rows = [("a", "error", 10), ("b", "error", 20)]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,status,e2e_ms", rows)
    done = run(tmp_path / "home", "waterfall", "--json")
    found = json.loads(done.stdout)
    assert (found["n"], found["failed"], found["e2e_ms"], found["bars"]) == (0, 2, None, [])
    assert isinstance(done.exception, NoDataError)
    assert "2 failed" in str(done.exception)
