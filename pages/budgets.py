"""Budgets: what was promised, by whom, on what evidence, and whether it still holds."""

from budget_model.views import budgets, frame

budgets.render(frame.begin("Budgets"))
