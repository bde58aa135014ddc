"""Numbers of a change in an address."""

from __future__ import annotations

import pytest

from budget_model.domain.whatif.presets import PRESETS
from budget_model.views.whatif_numbers import KNOBS, decode, encode, preset_at


def test_every_change_with_every_number_survives_an_address() -> None:
    every = [preset_at(place + 1) for place in range(len(PRESETS))]
    assert decode(encode(every)) == (tuple(every), [])
    assert all(one.as_published for one in every)


def test_every_published_number_is_one_that_may_be_set() -> None:
    for one in (preset_at(place + 1) for place in range(len(PRESETS))):
        for knob in one.knobs:
            assert knob.least <= one.number(knob) <= knob.most
            assert one.with_number(knob, one.number(knob)) == one


def test_every_end_of_a_range_on_offer_is_accepted() -> None:
    for place, preset in enumerate(PRESETS, 1):
        for knob in KNOBS.get(type(preset.tactic), ()):
            for value in (knob.least, knob.most):
                assert preset_at(place).with_number(knob, value).number(knob) == value


def test_a_place_alone_is_the_preset_as_published() -> None:
    assert decode("2")[0] == (preset_at(2),)


def test_a_set_number_changes_that_one_only() -> None:
    (found,), complaints = decode("1:0.8:8")
    assert complaints == []
    assert [found.number(knob) for knob in found.knobs] == [0.8, 8]
    assert not found.as_published


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("0", "there are 1 to"),
        ("nine", "is not a change"),
        ("1:0.5", "wants 2 numbers"),
        ("1:0.5:8:1", "wants 2 numbers"),
        ("1:1.5:8", "from 0 to 1"),
        ("1:0.5:nan", "from 1 to 1000"),
        ("1:x:8", "from 0 to 1"),
    ],
)
def test_what_cannot_be_meant_is_said_and_the_rest_kept(part: str, why: str) -> None:
    found, complaints = decode(f"{part},2")
    assert found == (preset_at(2),)
    assert len(complaints) == 1
    assert why in complaints[0]
