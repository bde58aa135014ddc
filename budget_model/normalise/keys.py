"""Stable 64-bit keys: the same on every machine and in every version."""

from __future__ import annotations

import hashlib

import msgspec

from budget_model.records.facts import RequestFact

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


def trace_key(trace_id: str) -> int:
    """A signed 64-bit hash of a trace id (or of an event log's request id).

    >>> trace_key("a1") == trace_key("a1") != trace_key("a2")
    True
    """
    return _signed(trace_id.encode())


def content_digest(value: object) -> int:
    """A signed 64-bit fingerprint of a record's content; field order in mappings does not matter."""
    return _signed(_encode(value))


def sealed(fact: RequestFact) -> RequestFact:
    """The same fact with ``digest`` set to the fingerprint of all its other fields."""
    fact.digest = 0
    fact.digest = content_digest(fact)
    return fact


def _signed(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
