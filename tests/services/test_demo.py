"""The demo through the real import, compared with what the simulator knows to be true."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from budget_model.demo.plans import CANCELLED, FAILED, OK
from budget_model.demo.spans import draw_ids
from budget_model.demo.timeline import Simulation, simulate
from budget_model.errors import Cancelled
from budget_model.services.demo import Demo, DemoReport, demo_of_name, load_demo
from budget_model.services.import_report import Progress
from budget_model.settings import Settings, load_settings
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog
from budget_model.store.schema import Kind

UNTIL_S = 1_796_095_200
REQUESTS = 2_000
ROUNDING_US = 1.0  # whole microseconds that add up, from nanoseconds


def settings_of(home: Path) -> Settings:
    return load_settings(home, {})


def requests_table(settings: Settings) -> pa.Table:
    ledger = Ledger(settings)
    try:
        return pa.concat_tables([pq.read_table(path) for path in ledger.manifest().paths(Kind.REQUESTS)])
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings_of(tmp_path_factory.mktemp("demo-home"))


@pytest.fixture(scope="module")
def loaded(home: Settings) -> DemoReport:
    return load_demo(home, requests=REQUESTS, until_us=UNTIL_S * 1_000_000)


@pytest.fixture(scope="module")
def truth() -> Simulation:
    return simulate(UNTIL_S * 1_000_000_000, requests=REQUESTS)


@pytest.fixture(scope="module")
def stored(home: Settings, loaded: DemoReport, truth: Simulation) -> pa.Table:
    """The stored requests in the simulator's order."""
    table = requests_table(home)
    rows = {trace_id: row for row, trace_id in enumerate(table["trace_id"].to_pylist())}
    ids = draw_ids(np.random.default_rng([truth.seed, 1]), REQUESTS)
    return table.take([rows[text[:32]] for text in ids])


def microseconds(table: pa.Table, column: str) -> NDArray[np.float64]:
    """A column as floats, NaN for null."""
    return np.array(table[column].to_pylist(), dtype=np.float64)


def test_everything_written_is_accepted_as_one_row_a_request(loaded: DemoReport, stored: pa.Table) -> None:
    totals = loaded.totals
    assert totals.records == totals.accepted == totals.spans > 10 * REQUESTS
    assert totals.requests == stored.num_rows == REQUESTS
    assert loaded.failures == ()
    assert [file.warnings for file in loaded.files if file.warnings] == []


HOPS = (
    *("client", "network", "gateway", "retrieval", "queue", "prefill", "decode", "postprocess", "retry"),
    "unattributed",
)


@pytest.mark.parametrize("hop", HOPS)
def test_each_requests_path_time_is_the_simulated_one(stored: pa.Table, truth: Simulation, hop: str) -> None:
    done = truth.plans.end == OK
    found = microseconds(stored, f"path_{hop}_us")[done]
    true = truth.parts.hops()[hop][done] / 1_000
    assert np.abs(np.nan_to_num(found) - true).max() <= ROUNDING_US
    assert (true[np.isnan(found)] == 0).all(), "a hop that took time is not missing"


def test_end_to_end_time_and_first_token_are_the_simulated_ones(stored: pa.Table, truth: Simulation) -> None:
    done, parts = truth.plans.end == OK, truth.parts
    first = parts.before_engine() + parts.engine_up + parts.engine_front + parts.queue + parts.prefill
    for column, true in (("e2e_us", parts.e2e()), ("ttft_us", first)):
        assert np.abs(microseconds(stored, column) - true / 1_000)[done].max() <= ROUNDING_US


@pytest.mark.parametrize(("end", "outcome"), [(OK, "ok"), (FAILED, "failed"), (CANCELLED, "cancelled")])
def test_each_request_ends_as_it_was_simulated(
    stored: pa.Table, truth: Simulation, end: int, outcome: str
) -> None:
    found = np.array(stored["outcome"].to_pylist())[truth.plans.end == end]
    assert found.size > 0
    assert set(found) == {outcome}


def test_segments_and_tokens_come_through(stored: pa.Table, truth: Simulation) -> None:
    served = truth.plans.end != FAILED
    assert (microseconds(stored, "prompt_tokens")[served] == truth.plans.prompt[served]).all()
    assert (microseconds(stored, "output_tokens")[served] == truth.plans.output[served]).all()
    for column, values in (
        ("tenant", 8),
        ("workload", 4),
        ("region", 3),
        ("model", 2),
        ("prompt_version", 5),
    ):
        assert stored[column].null_count == 0
        assert len(set(stored[column].to_pylist())) == values
    assert set(stored["environment"].to_pylist()) == {"production"}


def test_loading_again_on_a_later_day_says_so_and_adds_nothing(home: Settings, loaded: DemoReport) -> None:
    again = load_demo(home, requests=REQUESTS, until_us=(UNTIL_S + 3 * 86_400) * 1_000_000)
    assert again.was_there
    assert again.demo == loaded.demo
    assert again.totals.accepted == again.totals.requests == 0
    assert again.totals.already_known == loaded.totals.records
    assert "already" in again.words
    assert requests_table(home).num_rows == REQUESTS


def test_a_load_that_was_stopped_is_completed_by_the_next(tmp_path: Path) -> None:
    settings, cancel = settings_of(tmp_path), Event()

    def stop_after_the_third_file(progress: Progress) -> None:
        if progress.phase == "reading" and "-2026-11-20." in progress.path:
            cancel.set()

    with pytest.raises(Cancelled):
        load_demo(
            settings,
            requests=200,
            until_us=UNTIL_S * 1_000_000,
            on_progress=stop_after_the_third_file,
            cancel=cancel,
        )
    assert 0 < requests_table(settings).num_rows < 200
    whole = load_demo(settings, requests=200, until_us=(UNTIL_S + 60) * 1_000_000)
    assert whole.was_there
    assert requests_table(settings).num_rows == 200


def test_a_demos_name_says_which_demo_it_is() -> None:
    demo = Demo(seed=7, requests=1_234, until_s=UNTIL_S)
    assert demo_of_name(demo.file_name("2026-11-20")) == demo
    assert demo_of_name("traces-2026-11-20.jsonl") is None


def test_the_text_of_every_prompt_the_requests_were_made_with_is_known(
    home: Settings, stored: pa.Table
) -> None:
    used = set(zip(stored["prompt_name"].to_pylist(), stored["prompt_version"].to_pylist(), strict=True))
    ledger = Ledger(home)
    catalog = PromptCatalog(ledger)
    texts = {key: [one.text for one in catalog.readings(*key)] for key in used}
    ledger.close()
    assert len(texts) == 5
    assert all(len(found) == 1 and found[0] for found in texts.values())
