from __future__ import annotations

from budget_model.views.charts.timeline import ASYNC_PATTERN, MAX_ROWS, Row, drawn_rows, timeline_figure


def test_bars_begin_and_end_where_the_spans_do() -> None:
    rows = [Row("root", 0, None, 0, 900), Row("prefill", 1, "prefill", 100, 0.4, pieces=((100, 100.4),))]
    spans, path = timeline_figure(rows, 900).data[:2]
    assert list(zip(spans.base, spans.x, strict=True)) == [(0, 900), (100, 0.4)]
    assert [round(x, 9) for x in path.x] == [0.4]
    assert list(path.y) == [1]


def test_a_long_request_is_drawn_in_seconds_on_both_layers() -> None:
    figure = timeline_figure([Row("root", 0, "decode", 0, 12_000, pieces=((3000, 9000),))], 12_000)
    assert list(figure.data[0].x) == [12]
    assert list(figure.data[1].base) == [3]
    assert "(s)" in figure.layout.xaxis.title.text


def test_asynchronous_and_failed_spans_are_marked_in_words_and_not_by_colour_alone() -> None:
    figure = timeline_figure([Row("audit", 1, None, 0, 5, is_async=True, failed=True)], 5)
    assert figure.layout.annotations[0].text.endswith("⇢ ✕")
    assert figure.data[0].marker.pattern.shape[0] == ASYNC_PATTERN
    assert "not awaited" in figure.data[0].hovertext[0]


def test_a_span_name_is_text() -> None:
    figure = timeline_figure([Row("<a href='x'>y</a>", 0, None, 0, 5)], 5)
    assert "<a" not in figure.layout.annotations[0].text
    assert "<a" not in figure.data[0].hovertext[0]


def test_of_too_many_spans_the_critical_and_the_long_are_kept_in_their_order() -> None:
    rows = [Row(f"s{i}", 1, "decode", i, float(i)) for i in range(MAX_ROWS + 99)]
    rows.insert(3, Row("critical", 1, "queue", 0, 0.1, pieces=((0, 0.1),)))
    kept = drawn_rows(rows)
    assert len(kept) == MAX_ROWS
    assert kept[0].name == "critical"
    assert [row.name for row in kept[1:]] == [f"s{i}" for i in range(MAX_ROWS + 99)][-MAX_ROWS + 1 :]


def test_a_child_stands_further_in_than_its_parent() -> None:
    figure = timeline_figure([Row("root", 0, None, 0, 9), Row("child", 1, None, 0, 5)], 9)
    root, child = figure.layout.annotations
    assert child.xshift > root.xshift


def test_a_span_without_an_end_has_no_length() -> None:
    figure = timeline_figure([Row("decode", 0, "decode", 420, 0, unknown="no end")], 1000)
    assert list(figure.data[0].text) == ["no end"]
    assert "from 420 ms: no end" in figure.data[0].hovertext[0]
    assert "0 ms" not in figure.data[0].hovertext[0].replace("420 ms", "")
