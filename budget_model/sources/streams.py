"""Opening a file for reading, decompressed on the way, with a fuse against what grows without end."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

import pyarrow as pa

from budget_model.errors import SourceError, UnsafeInputError

RATIO_LIMIT = 200
"""Uncompressed bytes allowed for each compressed byte, once past ``FREE_BYTES``."""

FREE_BYTES = 64 * 1024 * 1024
"""Uncompressed bytes below which the ratio is not looked at; short repetitive files are common."""

_BUFFER = 1024 * 1024
_FILE_BUFFER = 256 * 1024


@contextmanager
def opened(path: Path, compression: str, max_output_bytes: int = 0) -> Iterator[BinaryIO]:
    """The content of ``path`` as a buffered binary stream; ``compression`` is none, gzip or zstd.

    Reading raises UnsafeInputError when a compressed file grows beyond ``RATIO_LIMIT`` or beyond
    ``max_output_bytes`` (0: no such limit), and SourceError when it is damaged or cut short.
    """
    try:
        file = path.open("rb", _FILE_BUFFER)
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be opened ({error.strerror})") from error
    with file:
        if compression == "none":
            yield file
            return
        inner = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if compression == "gzip" else _zstd(file)
        guarded = _Guarded(inner, file, path, compression, max_output_bytes)
        with io.BufferedReader(guarded, _BUFFER) as stream:
            yield cast("BinaryIO", stream)


def disk_position(stream: BinaryIO) -> int:
    """Bytes on disk that have been read for a stream from ``opened``."""
    raw = getattr(stream, "raw", None)
    return raw.position() if isinstance(raw, _Guarded) else stream.tell()


def _zstd(file: BinaryIO) -> IO[bytes]:
    """Arrow's reader, as it tells a frame that is cut short from one that ends."""
    return cast("IO[bytes]", pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"))


class _Guarded(io.RawIOBase):
    """A decompressing stream that names its file in every failure and stops at the fuse."""

    def __init__(
        self, inner: IO[bytes], file: BinaryIO, path: Path, compression: str, max_output_bytes: int
    ) -> None:
        self._inner = inner
        self._file = file
        self._path = path
        self._compression = compression
        self._cap = max_output_bytes
        self._allowed = max(FREE_BYTES, RATIO_LIMIT * path.stat().st_size)
        self._read = 0

    def position(self) -> int:
        """Compressed bytes taken from disk so far."""
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            chunk = self._inner.read(len(view))
        except (EOFError, OSError, zlib.error) as error:
            raise SourceError(
                f"{self._path.name}: the {self._compression} data is cut short or damaged ({error}); "
                "nothing of it was imported"
            ) from error
        self._count(len(chunk))
        view[: len(chunk)] = chunk
        return len(chunk)

    def _count(self, size: int) -> None:
        self._read += size
        if self._cap and self._read > self._cap:
            raise UnsafeInputError(
                f"{self._path.name}: holds more than the allowed {self._cap:,} bytes unpacked"
            )
        if self._read > self._allowed:
            raise UnsafeInputError(
                f"{self._path.name}: unpacks to more than {RATIO_LIMIT} times its size, "
                "as a decompression bomb does; unpack it yourself if it is what you mean to import"
            )
