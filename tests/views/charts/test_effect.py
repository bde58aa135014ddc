from __future__ import annotations

from dataclasses import replace

from budget_model.services.whatif import Effect
from budget_model.views.allocator_whatif import effect_words, interval_words
from budget_model.views.charts.effect import effect_figure


def effect(interval_ms: tuple[float, float] | None = (-700.0, -300.0)) -> Effect:
    before, after = (
        {"queue": 0.0, "prefill": 400.0, "decode": 800.0},
        {"queue": 0, "prefill": 100, "decode": 600},
    )
    return Effect((), 2000, 1200.0, 700.0, interval_ms, before, {k: float(v) for k, v in after.items()})


def test_both_sides_are_drawn_for_hops_that_take_any_time() -> None:
    before, after = effect_figure(effect()).data
    assert list(before.customdata) == ["prefill", "decode"]
    assert sum(before.x) == 1200
    assert sum(after.x) == 700


def test_an_effect_is_said_with_its_interval() -> None:
    said = effect_words(effect(), 0.99)
    assert "from 1.20 s to <b>700 ms</b> (−500 ms; 95 % interval −700 ms to −300 ms)" in said


def test_a_small_sample_has_no_interval() -> None:
    assert interval_words(effect(None)) == "no interval below 1,000 requests, n = 2,000"
    rare = replace(effect(None), least_n=36_887)
    assert interval_words(rare) == "no interval below 36,887 requests, n = 2,000"
