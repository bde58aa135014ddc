"""Fingerprints of content: the same on every machine and in every process."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

_encode = msgspec.json.Encoder(order="deterministic").encode


def fingerprint(*parts: object) -> int:
    """A signed 64-bit fingerprint of JSON values; the order of names in objects does not matter."""
    return int.from_bytes(blake2b(_encode(parts), digest_size=8).digest(), "big", signed=True)


def fingerprint_hex(*parts: object) -> str:
    """The same as 16 hexadecimal digits, fit to be a span id."""
    return blake2b(_encode(parts), digest_size=8).hexdigest()
