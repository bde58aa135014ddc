"""Options declared once and added to several commands by a decorator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any


def add_options(
    command: Callable[..., None],
    becomes: str,
    annotations: Mapping[str, Any],
    build: Callable[[dict[str, Any]], object],
    defaults: Mapping[str, object] | None = None,
) -> Callable[..., None]:
    """Give a Typer command more parameters, which it receives built into one, ``becomes``.

    ``annotations`` are the names of the parameters and what Typer is to make of them; they default
    to None, or to what ``defaults`` says (``inspect.Parameter.empty`` for no default).
    """
    own = inspect.signature(command, eval_str=True)
    kept = [parameter for parameter in own.parameters.values() if parameter.name != becomes]
    given_defaults = defaults or {}
    added = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=given_defaults.get(name), annotation=kind
        )
        for name, kind in annotations.items()
    ]

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        built = build({name: given.pop(name) for name in annotations})
        command(**given, **{becomes: built})

    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in kept]
    signature = own.replace(parameters=[*keyword_only, *added])
    wrapped.__signature__ = signature  # type: ignore[attr-defined]
    wrapped.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return wrapped
