"""One fixed colour a hop, in every chart and table, on light and dark grounds alike.

The hues are spread so that the common colour-vision deficiencies keep neighbours in path order
apart; still no hop is told by colour alone: bars carry names, and the two hops that are not work
(``retry``, ``unattributed``) carry a pattern as well.
"""

from __future__ import annotations

from budget_model.domain.hops import HOPS, Hop

HOP_COLOURS: dict[str, str] = {
    Hop.CLIENT: "#7d8fa9",
    Hop.NETWORK: "#56b4e9",
    Hop.GATEWAY: "#cc79a7",
    Hop.RETRIEVAL: "#00a67d",
    Hop.QUEUE: "#e0632a",
    Hop.PREFILL: "#e8a81c",
    Hop.DECODE: "#2f7fc1",
    Hop.POSTPROCESS: "#8f78d2",
    Hop.RETRY: "#b5483f",
    Hop.UNATTRIBUTED: "#9aa1aa",
}
"""Hex colour by hop name."""

HOP_PATTERNS: dict[str, str] = {Hop.RETRY: "x", Hop.UNATTRIBUTED: "/"}
"""Fill pattern by hop name; the others are plain."""

TOTAL_COLOUR = "#66758a"
"""Colour of bars that stand for the whole request."""

QUANTILE_STYLES: dict[str, tuple[str, str]] = {
    "p50": ("#7d8fa9", "dot"),
    "p95": ("#56b4e9", "dash"),
    "p99": ("#e0632a", "solid"),
}
"""Line colour and dash of the percentiles in a trend."""


def colours(hops: list[str]) -> list[str]:
    """Colours of ``hops`` in order; an unknown name gets the colour of a total."""
    return [HOP_COLOURS.get(hop, TOTAL_COLOUR) for hop in hops]


def patterns(hops: list[str]) -> list[str]:
    """Fill patterns of ``hops`` in order."""
    return [HOP_PATTERNS.get(hop, "") for hop in hops]


def path_order(hop: str) -> int:
    """The hop's place on a request's way."""
    return HOPS.index(Hop(hop))
