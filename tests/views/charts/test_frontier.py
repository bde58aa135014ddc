from __future__ import annotations

import numpy as np

from budget_model.domain.budget_question import Question
from budget_model.domain.frontier import FrontierPoint, frontier
from budget_model.views.charts.frontier import frontier_figure, point_words
from tests.views.allocations import sample


def test_the_curve_is_in_percent_of_today_and_marks_the_chosen_point() -> None:
    points = frontier(sample(), Question(4_000_000, 0.99, 0.1), np.array([0.0, 0.5, 1.0]))
    figure = frontier_figure(points, points[1])
    assert tuple(figure.data[0].x) == (0, 50, 100)
    assert list(figure.data[0].y) == sorted(figure.data[0].y, reverse=True)
    assert (figure.data[2].x[0], figure.data[2].y[0]) == (50, 100 * points[1].decode_scale)


def test_a_point_is_said_in_words() -> None:
    said = point_words(FrontierPoint(0.5, 1.0691))
    assert said == "With prefill at 50 % of today's time, decode may take 107 % of today's."
