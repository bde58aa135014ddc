"""Data: bring data in, see what was refused, and which span went to which hop."""

from budget_model.views.frame import Page


def render(page: Page) -> None:
    """Draw the page."""
