"""Write a simulation as a collector's file exporter would: one export a line, one file a day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import msgspec
import numpy as np

from budget_model.demo.spans import Emitted, draw_ids, emit
from budget_model.demo.timeline import Simulation
from budget_model.demo.wire import OutSpan

BATCH_NS = 30_000_000_000
"""Spans that end in the same half minute leave in one line, so some traces lie on two."""

_DAY_NS = 86_400_000_000_000
_SCOPE = {"name": "budget_model.demo"}
Naming = Callable[[str], str]
"""File name from a UTC day written YYYY-MM-DD."""
Progress = Callable[[Path, int, int], None]
"""Told each file written, the requests written so far and the requests in all."""


def write_files(sim: Simulation, folder: Path, naming: Naming, progress: Progress) -> list[Path]:
    """Write one file for each UTC day of request starts, every trace whole in one; returns the paths."""
    ids = draw_ids(np.random.default_rng([sim.seed, 1]), len(sim))
    days = (sim.start_ns // _DAY_NS).tolist()
    paths = []
    for day, members in groupby(enumerate(ids), key=lambda one: days[one[0]]):
        path = folder / naming(str(np.datetime64(day, "D")))
        emitted: list[Emitted] = []
        index = 0
        for index, text in members:
            emitted += emit(sim, index, text)
        with path.open("wb") as file:
            file.writelines(line + b"\n" for line in lines(emitted))
        paths.append(path)
        progress(path, index + 1, len(sim))
    return paths


def lines(emitted: list[Emitted]) -> Iterator[bytes]:
    """Spans in order of their end, grouped into exports and by resource within one."""
    encoder = msgspec.json.Encoder()
    emitted.sort(key=itemgetter(1))
    for _, batch in groupby(emitted, key=lambda one: one[1] // BATCH_NS):
        by_resource: dict[bytes, tuple[msgspec.Raw, list[OutSpan]]] = {}
        for resource, _end, span in batch:
            by_resource.setdefault(bytes(resource), (resource, []))[1].append(span)
        yield encoder.encode(
            {
                "resourceSpans": [
                    {"resource": resource, "scopeSpans": [{"scope": _SCOPE, "spans": spans}]}
                    for resource, spans in by_resource.values()
                ]
            }
        )
