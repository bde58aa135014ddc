"""The look of what Streamlit has no widget for: headline cards, tables, badges.

Colours are taken from the text colour of the theme in use, so light and dark both work.
"""

from __future__ import annotations

from budget_model.views.charts.colours import HOP_COLOURS

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/>'
    '<path d="M3 3h4v2.4H3zM5.5 6.8h5v2.4h-5zM9 10.600h4V13H9z" fill="#fff"/></svg>'
)
"""The page's icon, drawn here so that no font or picture is fetched for it."""

_LINE = "color-mix(in srgb, currentColor 16%, transparent)"
_SOFT = "color-mix(in srgb, currentColor 5%, transparent)"
_QUIET = "color-mix(in srgb, currentColor 68%, transparent)"

_BASE = f"""
.stMainBlockContainer {{ padding-top: 2.2rem; padding-bottom: 4rem; max-width: 1480px; }}
.tb-brand {{ font-weight: 700; font-size: 1.12rem; letter-spacing: -.01em; white-space: nowrap; padding-right: .8rem; }}
.tb-brand span {{ color: #2f7fc1; }}
.tb-h {{ font-size: 1.02rem; font-weight: 650; margin: .2rem 0 .1rem; }}
.tb-sub {{ color: {_QUIET}; font-size: .88rem; line-height: 1.45; }}
.tb-cards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(168px, 1fr)); gap: .75rem; }}
.tb-card {{ border: 1px solid {_LINE}; border-radius: 10px; padding: .8rem 1rem .75rem; background: {_SOFT}; min-width: 0; }}
.tb-card .k {{ color: {_QUIET}; font-size: .82rem; font-weight: 550; display: flex; justify-content: space-between; gap: .5rem; }}
.tb-card .v {{ font-size: 1.72rem; font-weight: 680; letter-spacing: -.02em; font-variant-numeric: tabular-nums; line-height: 1.35; white-space: nowrap; }}
.tb-card .n {{ color: {_QUIET}; font-size: .8rem; line-height: 1.4; }}
.tb-grade {{ border: 1px solid {_LINE}; border-radius: 5px; padding: 0 .36rem; font-size: .74rem; font-weight: 650; white-space: nowrap; }}
.tb-grade.C {{ border-style: dashed; }}
.tb-few {{ opacity: .62; }}
.tb-wrap {{ overflow-x: auto; border: 1px solid {_LINE}; border-radius: 10px; }}
.tb-table {{ width: 100%; border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }}
.tb-table th {{ text-align: left; font-weight: 600; color: {_QUIET}; font-size: .79rem; padding: .5rem .75rem; border-bottom: 1px solid {_LINE}; background: {_SOFT}; white-space: nowrap; vertical-align: bottom; }}
.tb-table td {{ padding: .42rem .75rem; border-bottom: 1px solid color-mix(in srgb, currentColor 8%, transparent); vertical-align: middle; }}
.tb-table tr:last-child td {{ border-bottom: 0; }}
.tb-table tbody tr:hover {{ background: {_SOFT}; }}
.tb-table .r {{ text-align: right; white-space: nowrap; }}
.tb-table .nw {{ white-space: nowrap; }}
.tb-table .wrap {{ overflow-wrap: anywhere; }}
.tb-table small, .tb-note {{ color: {_QUIET}; font-size: .8rem; }}
.tb-table a, .tb-card a, .tb-lead a {{ font-weight: 550; text-underline-offset: 2px; }}
.tb-dot {{ display: inline-block; width: .68rem; height: .68rem; border-radius: 3px; margin-right: .45rem; vertical-align: -1px; }}
.tb-bar {{ display: flex; height: .82rem; min-width: 110px; border-radius: 3px; overflow: hidden; background: {_SOFT}; }}
.tb-bar i {{ display: block; height: 100%; }}
.tb-lead {{ border-left: 4px solid var(--tb-hop, currentColor); padding: .35rem 0 .35rem .9rem; font-size: 1.05rem; line-height: 1.5; }}
.tb-lead b {{ font-weight: 680; }}
.tb-kv {{ display: grid; grid-template-columns: minmax(120px, max-content) 1fr; gap: .18rem 1rem; font-size: .88rem; }}
.tb-kv dt {{ color: {_QUIET}; }} .tb-kv dd {{ margin: 0; overflow-wrap: anywhere; }}
"""


def stylesheet() -> str:
    """The whole style element, hop colours included."""
    hops = "".join(f".hop-{name} {{ background: {colour}; --tb-hop: {colour}; }}\n" for name, colour in HOP_COLOURS.items())
    stripes = "repeating-linear-gradient(45deg, #8a929c 0 3px, #c3c8ce 3px 6px)"
    return f"<style>{_BASE}{hops}.hop-unattributed {{ background: {stripes}; }}</style>"
