"""Which prompts a trace was made with, as the one tag that both ways of reading give it.

MLflow's own client writes the tag beside the table of associations; other clients may fill the
table alone. Of such a trace the prompts are told in the order of name and version, since over the
API nobody learns in which order they were linked.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from budget_model.domain.versions import version_order

TAG = "mlflow.linkedPrompts"

Link = tuple[str, str]
"""A prompt's name and version."""


def tag_of(links: Iterable[Link]) -> str:
    """The tag's value: JSON, each link once."""
    ordered = sorted(set(links), key=lambda link: (link[0], version_order(link[1]), link[1]))
    return msgspec.json.encode([{"name": name, "version": version} for name, version in ordered]).decode()
