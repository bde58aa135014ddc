"""A group of commands whose modules are imported when they are used.

Together they load every library of the product, which takes longer than most of them run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is: the name of a function, or of a Typer app, in a module, and its help."""

    module: str
    name: str
    help: str


class _Commands(dict[str, Any]):
    """Click commands by name; one that is not there yet is loaded when it is asked for."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        super().__init__(dict.fromkeys(entries))
        self._entries = entries

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            self[name] = load(name, self._entries[name])
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


class LazyGroup(TyperGroup):
    """Commands by name from ``entries``; the list of commands shows their ``help`` without importing them."""

    entries: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands(self.entries)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of ``entries``."""
        del ctx
        return list(self.entries)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Help with the first lines of all commands."""
        listed = {name: TyperCommand(name, help=entry.help) for name, entry in self.entries.items()}
        _Listing(self, listed).format_help(ctx, formatter)


class _Listing(TyperGroup):
    """Stands in for a LazyGroup while its help is written."""

    def __init__(self, group: LazyGroup, listed: dict[str, TyperCommand]) -> None:
        super().__init__(
            name=group.name,
            commands=dict(listed),
            params=group.params,
            help=group.help,
            rich_markup_mode=group.rich_markup_mode,
            no_args_is_help=group.no_args_is_help,
        )


def load(name: str, entry: Entry) -> Any:
    """The click command of an entry."""
    found = getattr(import_module(entry.module), entry.name)
    if isinstance(found, typer.Typer):
        command = typer.main.get_command(found)
        command.name = name
        return command
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name)(found)
    return typer.main.get_command(single)
