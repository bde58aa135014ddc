"""The hops a request's end-to-end time is divided over, in the order a request meets them."""

from __future__ import annotations

from enum import StrEnum


class Hop(StrEnum):
    """One named part of a request's end-to-end time. Values are the names users read and type."""

    CLIENT = "client"
    NETWORK = "network"
    GATEWAY = "gateway"
    RETRIEVAL = "retrieval"
    QUEUE = "queue"
    PREFILL = "prefill"
    DECODE = "decode"
    POSTPROCESS = "postprocess"
    RETRY = "retry"
    UNATTRIBUTED = "unattributed"


HOPS: tuple[Hop, ...] = tuple(Hop)
"""All hops in path order; the column order of every hop matrix, shape (n, 10)."""

MEASURED_HOPS: tuple[Hop, ...] = tuple(hop for hop in Hop if hop is not Hop.UNATTRIBUTED)
"""Hops that spans can be mapped to. ``unattributed`` is only ever what the others leave over."""

COMPUTE_HOPS: tuple[Hop, ...] = (Hop.PREFILL, Hop.DECODE)
"""Hops a compute budget is split over; every other hop is overhead to be subtracted first."""

HOP_CLASS: dict[Hop, str] = {
    Hop.CLIENT: "network-bound",
    Hop.NETWORK: "network-bound",
    Hop.GATEWAY: "I/O-bound",
    Hop.RETRIEVAL: "I/O-bound",
    Hop.QUEUE: "compute-bound",
    Hop.PREFILL: "compute-bound",
    Hop.DECODE: "compute-bound",
    Hop.POSTPROCESS: "I/O-bound",
    Hop.RETRY: "its own line",
    Hop.UNATTRIBUTED: "unknown",
}
"""What a hop's time is bound by, for the words beside a figure."""

HOP_MEANING: dict[Hop, str] = {
    Hop.CLIENT: "Building the request and rendering the answer.",
    Hop.NETWORK: "Transit between client, gateway and backend: client time minus server time.",
    Hop.GATEWAY: "Authentication, routing and rate limiting.",
    Hop.RETRIEVAL: "Vector search, document fetch and rerank.",
    Hop.QUEUE: "Waiting for a serving slot or a batch window.",
    Hop.PREFILL: "Reading the prompt into the KV cache.",
    Hop.DECODE: "First to last token.",
    Hop.POSTPROCESS: "Formatting, moderation and tool-call parsing.",
    Hop.RETRY: "Failed attempts and back-off before the attempt that counted.",
    Hop.UNATTRIBUTED: "End-to-end time that no instrumented hop covers.",
}
