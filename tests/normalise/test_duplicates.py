from __future__ import annotations

from itertools import permutations

from budget_model.normalise.duplicates import dedupe
from tests.builders import span


def test_the_later_end_is_kept_and_an_end_beats_none() -> None:
    versions = [span("1", "", "a", 0, end) for end in (5, None, 9)]
    for order in permutations(versions):
        once = dedupe(order)
        assert once.kept == [versions[2]]
        assert (once.duplicates, once.conflicts) == (0, 2)


def test_of_equal_ends_an_error_is_kept() -> None:
    fine, failed = (span("1", "", "a", 0, 5, status=status) for status in ("OK", "ERROR"))
    assert dedupe([fine, failed]).kept == dedupe([failed, fine]).kept == [failed]


def test_versions_alike_in_end_and_status_are_settled_by_content() -> None:
    one, two = (span("1", "", "a", 0, 5, attributes={"x": x}) for x in (1, 2))
    assert dedupe([one, two]).kept == dedupe([two, one]).kept


def test_records_are_kept_duplicates_or_conflicts_and_nothing_else() -> None:
    spans = [span(str(i % 3), "", "a", 0, 5 + i % 2) for i in range(20)]
    once = dedupe(spans)
    assert len(once.kept) + once.duplicates + once.conflicts == 20


def test_the_same_id_in_another_trace_is_another_span() -> None:
    assert len(dedupe([span("1", "", "a", 0, 5), span("1", "", "a", 0, 5, trace_id="b")]).kept) == 2


def test_the_version_seen_last_at_its_source_replaces_the_others_whatever_their_order() -> None:
    first, second, third = (
        span("1", "", "a", 0, end, resource={"tailbudget.seen": seen})
        for end, seen in ((9, 1), (5, 2), (7, 3))
    )
    for order in permutations([first, second, third]):
        once = dedupe(order)
        assert once.kept == [third]
        assert (once.duplicates, once.conflicts, once.updated) == (0, 0, 2)
        assert once.conflicting_traces == frozenset()


def test_versions_seen_equally_late_still_contradict_each_other() -> None:
    resource = {"tailbudget.seen": 4}
    old = span("1", "", "a", 0, 5)
    newer = [span("1", "", "a", 0, end, resource=resource) for end in (6, 8)]
    once = dedupe([old, *newer])
    assert once.kept == [newer[1]]
    assert (once.conflicts, once.updated) == (1, 1)
