from __future__ import annotations

from budget_model.domain.versions import version_order


def test_numbers_in_versions_count_as_numbers() -> None:
    versions = ["10", "9", "v2.1", None, "v2", "v10", "2026-12-07", "2026-2-1", "0010b", "a"]
    assert sorted(versions, key=version_order) == [
        *(None, "9", "10", "0010b", "2026-2-1", "2026-12-07", "a", "v2", "v2.1", "v10"),
    ]


def test_a_number_of_any_length_has_its_place() -> None:
    long = "9" * 10_000
    assert version_order("8") < version_order(long) < version_order(long + "0")
