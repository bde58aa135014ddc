"""The style sheet of the pages, with the hop colours of the charts in it, and the page's icon."""

from __future__ import annotations

from pathlib import Path

from budget_model.views.charts.colours import HOP_COLOURS

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
    '<rect width="16" height="16" rx="3" fill="#1f5fbf"/>'
    '<path d="M3 3h4v2.400H3zM5.500 6.800h5v2.400h-5zM9 10.600h4V13H9z" fill="#fff"/></svg>'
)
"""The page's icon, drawn here so that no font or picture is fetched for it."""

_RULES = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_STRIPES = "repeating-linear-gradient(45deg, #8a929c 0 3px, #c3c8ce 3px 6px)"


def stylesheet() -> str:
    """The whole style element."""
    hops = "\n".join(
        f".hop-{name} {{ background: {colour}; --tb-hop: {colour}; }}" for name, colour in HOP_COLOURS.items()
    )
    return f"<style>{_RULES}\n{hops}\n.hop-unattributed {{ background: {_STRIPES}; }}</style>"
