"""Prompt buckets: which range of prompt tokens a request falls in, and what the range is called."""

from __future__ import annotations

from itertools import pairwise

KILO = 1024


def bucket_labels(edges: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the ``len(edges) + 1`` buckets, low to high.

    >>> bucket_labels((256, 1024))
    ('<256', '256-1k', '>=1k')
    """
    inner = tuple(f"{_short(a)}-{_short(b)}" for a, b in pairwise(edges))
    return (f"<{_short(edges[0])}", *inner, f">={_short(edges[-1])}")


def bucket_sql(edges: tuple[int, ...]) -> str:
    """An expression of ``prompt_tokens`` giving the bucket's label, NULL without a token count."""
    labels = bucket_labels(edges)
    steps = " ".join(
        f"WHEN prompt_tokens < {int(edge)} THEN '{label}'"
        for edge, label in zip(edges, labels[:-1], strict=True)
    )
    return f"CASE WHEN prompt_tokens IS NULL THEN NULL {steps} ELSE '{labels[-1]}' END"


def _short(edge: int) -> str:
    return f"{edge // KILO}k" if edge >= KILO and edge % KILO == 0 else str(edge)
