"""Which values of a dimension occur under a filter."""

from __future__ import annotations

import numpy as np

from budget_model.queries.columns import check_dimension
from budget_model.queries.selection import Selection


def labels_present(selection: Selection, dimension: str) -> tuple[str, ...]:
    """Values that at least one ok request carries, sorted; requests without a value say nothing."""
    column = selection.table.dimensions[check_dimension(dimension)]
    counts = np.bincount(column.codes[selection.ok], minlength=len(column.labels))
    found = (label for label, count in zip(column.labels, counts, strict=True) if count)
    return tuple(sorted(label for label in found if label is not None))
