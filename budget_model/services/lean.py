"""Keeping pandas out of processes that only import data.

Given a list, pyarrow looks whether pandas is there, and importing it costs half a second and sixty
megabytes in every worker for nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _NoPandas(MetaPathFinder):
    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ImportError("pandas is left out of processes that only import data")
        return None


def leave_pandas_out() -> None:
    """From here on this process cannot import pandas, unless it has done so already."""
    sys.meta_path.insert(0, _NoPandas())
