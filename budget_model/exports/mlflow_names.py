"""Names of metrics and tags of which a label is a part, which may be any text."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_DIGESTED = re.compile(r".*-[0-9a-f]{12}")
_OTHER = re.compile(r"[^a-z0-9_-]")
_LONGEST = 60


def name_part(label: str) -> str:
    """A label as part of a name that every server takes: always the same, and of no other label.

    A label of small ASCII letters, digits, ``_`` and ``-`` stays as it is. Any other has the rest
    replaced, capitals too, which some databases do not tell apart, and a digest put behind it.

    >>> name_part("chat-p95")
    'chat-p95'
    >>> name_part("Chat/p95 %")
    'chat_p95__-174b100fc6dc'
    """
    if _PLAIN.fullmatch(label) and not _DIGESTED.fullmatch(label):
        return label
    digest = hashlib.blake2b(label.encode(errors="surrogatepass"), digest_size=6).hexdigest()
    return f"{_OTHER.sub('_', label.lower())[:_LONGEST]}-{digest}"
