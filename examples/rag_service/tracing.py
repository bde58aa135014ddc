"""What the service asks of a tracing library, so that it can be instrumented with either, both or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

Value = str | int | float | bool
Attributes = Mapping[str, Value]

INTERNAL, CLIENT, SERVER = "INTERNAL", "CLIENT", "SERVER"


class SpanHandle(Protocol):
    """A span that has begun. Times are nanoseconds since the epoch."""

    @property
    def trace_ids(self) -> dict[str, str]:
        """Name of the tracing library to the trace's id, as 32 hexadecimal digits."""

    def headers(self) -> dict[str, str]:
        """HTTP headers by which a server makes its spans children of this one."""

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""

    def event(self, name: str, at_ns: int) -> None:
        """Mark a moment."""

    def fail(self, message: str) -> None:
        """Say that the work failed."""

    def end(self, at_ns: int) -> None:
        """End the span."""


class Tracing(Protocol):
    """A tracing library."""

    def begin(
        self,
        name: str,
        at_ns: int,
        attributes: Attributes,
        parent: SpanHandle | None = None,
        kind: str = INTERNAL,
    ) -> SpanHandle:
        """Begin a span: below ``parent``, else below the caller that ``received`` tells of, else a root."""

    def received(self, headers: Mapping[str, str]) -> AbstractContextManager[None]:
        """Inside, spans without a parent belong to the trace that a request's headers (lower case) name."""

    def close(self) -> None:
        """Send what has not been sent."""


class _Several:
    def __init__(self, handles: list[SpanHandle]) -> None:
        self.handles = handles

    @property
    def trace_ids(self) -> dict[str, str]:
        return {name: value for one in self.handles for name, value in one.trace_ids.items()}

    def headers(self) -> dict[str, str]:
        return {name: value for one in self.handles for name, value in one.headers().items()}

    def set(self, attributes: Attributes) -> None:
        for one in self.handles:
            one.set(attributes)

    def event(self, name: str, at_ns: int) -> None:
        for one in self.handles:
            one.event(name, at_ns)

    def fail(self, message: str) -> None:
        for one in self.handles:
            one.fail(message)

    def end(self, at_ns: int) -> None:
        for one in self.handles:
            one.end(at_ns)


class Together:
    """Any number of libraries side by side, each with a trace of its own of the same requests."""

    def __init__(self, libraries: Sequence[Tracing]) -> None:
        self._libraries = libraries

    def begin(
        self,
        name: str,
        at_ns: int,
        attributes: Attributes,
        parent: SpanHandle | None = None,
        kind: str = INTERNAL,
    ) -> SpanHandle:
        """Begin the span in each library."""
        above = parent.handles if isinstance(parent, _Several) else [None] * len(self._libraries)
        return _Several(
            [
                library.begin(name, at_ns, attributes, one, kind)
                for library, one in zip(self._libraries, above, strict=True)
            ]
        )

    @contextmanager
    def received(self, headers: Mapping[str, str]) -> Iterator[None]:
        """Join the caller's trace in each library."""
        with ExitStack() as stack:
            for library in self._libraries:
                stack.enter_context(library.received(headers))
            yield

    def close(self) -> None:
        """Send what has not been sent, library by library."""
        for library in self._libraries:
            library.close()
