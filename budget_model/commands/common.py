"""What every command shares: the home folder, JSON on stdout, words on stderr, exit codes."""

from __future__ import annotations

import dataclasses
import math
import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from budget_model.errors import NoDataError
from budget_model.settings import Settings, load_settings

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home", help="Folder that holds the data (default: TAILBUDGET_HOME or the user's data folder)."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]

EXIT_YES, EXIT_NO, EXIT_CANNOT_SAY, EXIT_INCONCLUSIVE = 0, 1, 2, 3

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def settings_for(home: Path | None) -> Settings:
    """Settings from the command's ``--home`` and the process environment."""
    return load_settings(home, os.environ)


def settings_to_read(home: Path | None) -> Settings:
    """As ``settings_for``, for a command that makes no home. Raises NoDataError where there is none."""
    settings = settings_for(home)
    if settings.is_ledger_at_home and not settings.home.exists():
        raise NoDataError(
            f"there is no data in {settings.home}, which does not exist; "
            "`tailbudget import FILE` or `tailbudget demo` makes it"
        )
    return settings


def print_json(answer: Any) -> None:
    """Print one JSON object; NaN and infinity become null."""
    print(msgspec.json.encode(_plain(answer)).decode())


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
