"""What was published, in words, for pages and commands alike."""

from __future__ import annotations

from budget_model.services.mlflow_assess import Assessed
from budget_model.services.mlflow_publish import PublishedRun


def run_words(run: PublishedRun) -> str:
    """A run, and whether it was made now."""
    return f"{run.name}, {'created' if run.created else 'already there'}"


def assessed_words(found: Assessed) -> str:
    """How many of the slowest requests are marked now, and why not more."""
    if not found.found:
        return "No trace marked: no request over the target was synced from this server."
    gone = f", {found.gone:,} gone from the server" if found.gone else ""
    few = (
        ""
        if found.found >= found.asked
        else f"; no more requests over the target came from it ({found.found:,})"
    )
    return (
        f"Traces over budget: {found.created:,} marked, {found.updated:,} changed, "
        f"{found.already_there:,} already there{gone}{few}."
    )
