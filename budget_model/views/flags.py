"""What each flag of a request means, in a few words and in a sentence."""

from __future__ import annotations

from budget_model.records.facts import Flag

MEANINGS: dict[Flag, tuple[str, str]] = {
    Flag.CLOCK_SKEW: (
        "clock skew",
        "A span lies outside its parent on another host: their clocks disagree. Times are as recorded.",
    ),
    Flag.NEGATIVE_DURATION: (
        "negative duration",
        "A span ends before it starts. It was set aside and is in no figure.",
    ),
    Flag.UNFINISHED_SPAN: ("unfinished span", "A span has no end. It was set aside."),
    Flag.ORPHAN_SPAN: ("orphan span", "A span names a parent that is not in the data. It was set aside."),
    Flag.SEVERAL_ROOTS: ("several roots", "The trace has more than one span without a parent."),
    Flag.ERROR_BELOW_OK_ROOT: ("error below", "A span failed although the request succeeded."),
    Flag.TTFT_EQUALS_E2E: (
        "first token at the end",
        "The first token is as late as the whole answer: suspect source data.",
    ),
    Flag.LLM_CALL_NOT_SPLIT: (
        "model call not split",
        "The model call is one span: queue, prefill and decode are not told apart.",
    ),
    Flag.NO_TIME: ("no time", "The request has no time stamp; it is in no time view."),
    Flag.ZONE_ASSUMED: ("zone assumed", "The time stamps name no zone; UTC was assumed."),
    Flag.DURATION_IN_ATTRIBUTE: (
        "duration in attribute",
        "A span is far shorter than the duration in its attributes. The span's own times are used.",
    ),
    Flag.CONFLICTING_SPANS: (
        "conflicting spans",
        "The same span came with different content. One of them is used.",
    ),
    Flag.TEXT_CUT: ("text cut", "A long text attribute was cut."),
    Flag.ASYNC_WORK: (
        "asynchronous work",
        "The request started work that it did not wait for; that work is not in end to end.",
    ),
    Flag.CHILD_OUTLIVES_PARENT: (
        "child outlives parent",
        "A span ends after its parent; the part beyond is not in end to end.",
    ),
    Flag.SKEW_CORRECTED: (
        "skew corrected",
        "Spans were shifted to fit their parents, as asked for in the settings.",
    ),
}
"""Short name and meaning by flag."""


def names(bits: int) -> list[str]:
    """Short names of the flags set in ``bits``."""
    return [short for flag, (short, _) in MEANINGS.items() if bits & flag]


def sentences(bits: int) -> list[tuple[str, str]]:
    """Short name and meaning of the flags set in ``bits``."""
    return [meaning for flag, meaning in MEANINGS.items() if bits & flag]
