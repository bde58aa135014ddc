"""Review: one week, every approved budget, on a page that can be printed."""

from budget_model.views import frame, review

review.render(frame.begin("Review"))
