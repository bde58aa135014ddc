"""Versions of MLflow's database in which traces, runs and prompts lie as this package reads them."""

from __future__ import annotations

KNOWN_VERSIONS = frozenset(
    {
        *("dc11669786a5", "75868b020152", "b7e2c1a4d9f3", "17e22815139b", "1971f2d9a75b", "6f8d9c3b2a1e"),
        *("c3d9e7f1a2b4", "c1d2e3f4a5b6", "a8b9c0d1e2f3", "b7e4c1a90f23", "89d3d66ed43f", "da6fb0208061"),
        *("7d34483879f0", "ae8bbe7743c9", "a5b4c3d2e1f0", "c3d6457b6d8a", "76601a5f987d", "e1f2a3b4c5d6"),
        *("1b5f0d9ad7c1", "c8d9e0f1a2b3"),
    }
)
"""Revisions of January 2026 (``c8d9e0f1a2b3``) up to that of release 3.17.2 (``dc11669786a5``), in the order
of MLflow's own migrations from the newest back; none in between changes a table that is read."""
