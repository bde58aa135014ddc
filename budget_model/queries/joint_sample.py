"""The hop vectors of the ok requests under a filter: what a budget is derived from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.budget_question import Sample as JointSample
from budget_model.domain.hops import HOPS
from budget_model.queries.columns import PATH_COLUMNS
from budget_model.queries.selection import Selection
from budget_model.queries.table import MISSING


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """Token counts and times of the ok requests, all of shape (n,); MISSING where not recorded."""

    bucket: NDArray[np.int32]
    bucket_labels: tuple[str | None, ...]
    prompt_tokens: NDArray[Any]
    prefill_us: NDArray[Any]
    tpot_us: NDArray[Any]


def joint_sample(selection: Selection) -> JointSample:
    """Path times of the ok requests that have an e2e, shape (n, 10), in time order; kept.

    Columns are contiguous in memory, because nearly every use reads whole columns.
    """
    if "joint" not in selection.memo:
        positions = selection.sample("e2e_us").positions
        hops = np.empty((len(positions), len(HOPS)), dtype=np.float64, order="F")
        recorded = np.zeros(len(HOPS), dtype=np.int64)
        for index, column in enumerate(PATH_COLUMNS):
            values = selection.table.numbers[column][positions]
            recorded[index] = np.count_nonzero(values != MISSING)
            np.maximum(values, 0, out=hops[:, index])
        selection.memo["joint"] = JointSample(hops, recorded)
    sample: JointSample = selection.memo["joint"]
    return sample


def token_facts(selection: Selection) -> TokenFacts:
    """What the token table needs of the ok requests."""
    table, ok = selection.table, selection.ok
    bucket = table.dimensions["bucket"]
    return TokenFacts(
        bucket=bucket.codes[ok],
        bucket_labels=bucket.labels,
        prompt_tokens=table.numbers["prompt_tokens"][ok],
        prefill_us=table.numbers["path_prefill_us"][ok],
        tpot_us=table.numbers["tpot_us"][ok],
    )
