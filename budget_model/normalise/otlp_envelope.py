"""What stands around the spans of an OTLP export, in every spelling, with the spans left undecoded."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from budget_model.records.otlp_wire import RAW_ABSENT, RAW_EMPTY_OBJECT
from budget_model.records.rejects import BadRecordError

_NAMES = '"resourceSpans"'
_OTHER_SIGNALS = {"resourceMetrics": "metrics", "resourceLogs": "logs", "resourceProfiles": "profiles"}


class EnvelopeScope(msgspec.Struct, gc=False):
    """ScopeSpans, or the older InstrumentationLibrarySpans."""

    spans: list[msgspec.Raw] | None = None
    scope: msgspec.Raw = RAW_EMPTY_OBJECT
    instrumentationLibrary: msgspec.Raw = RAW_EMPTY_OBJECT  # noqa: N815  the wire's own spelling
    instrumentation_library: msgspec.Raw = RAW_EMPTY_OBJECT


class EnvelopeResource(msgspec.Struct, gc=False):
    """ResourceSpans with the names its list of scopes has had over time."""

    resource: msgspec.Raw = RAW_EMPTY_OBJECT
    scopeSpans: list[EnvelopeScope] | None = None  # noqa: N815
    scope_spans: list[EnvelopeScope] | None = None
    instrumentationLibrarySpans: list[EnvelopeScope] | None = None  # noqa: N815
    instrumentation_library_spans: list[EnvelopeScope] | None = None


class Envelope(msgspec.Struct, gc=False):
    """ExportTraceServiceRequest; the other signals are there to be named when they are met."""

    resourceSpans: list[EnvelopeResource] | None = None  # noqa: N815
    resource_spans: list[EnvelopeResource] | None = None
    resourceMetrics: msgspec.Raw = RAW_ABSENT  # noqa: N815
    resourceLogs: msgspec.Raw = RAW_ABSENT  # noqa: N815
    resourceProfiles: msgspec.Raw = RAW_ABSENT  # noqa: N815


def spans_of(envelope: Envelope) -> Iterator[tuple[bytes, bytes, list[msgspec.Raw]]]:
    """Resource JSON, scope JSON and the spans' JSON of each scope, in file order.

    Raises BadRecordError when the object holds another signal or no traces at all.
    """
    if envelope.resourceSpans is None and envelope.resource_spans is None:
        for name, words in _OTHER_SIGNALS.items():
            if getattr(envelope, name):
                raise BadRecordError(name, f"the line holds {words}; only traces ({_NAMES}) are read")
        raise BadRecordError("no value", f"an OTLP trace export must have {_NAMES}")
    for entry in (envelope.resourceSpans or []) + (envelope.resource_spans or []):
        for scope in _scopes(entry):
            yield bytes(entry.resource), _scope_json(scope), scope.spans or []


def _scopes(entry: EnvelopeResource) -> list[EnvelopeScope]:
    lists = (
        entry.scopeSpans,
        entry.scope_spans,
        entry.instrumentationLibrarySpans,
        entry.instrumentation_library_spans,
    )
    return [scope for scopes in lists if scopes for scope in scopes]


def _scope_json(scope: EnvelopeScope) -> bytes:
    named = (scope.scope, scope.instrumentationLibrary, scope.instrumentation_library)
    return next((bytes(raw) for raw in named if bytes(raw) != b"{}"), b"{}")
