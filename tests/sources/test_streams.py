from __future__ import annotations

import collections
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from budget_model.errors import SourceError, UnsafeInputError
from budget_model.sources.streams import disk_position, opened

CONTENT = bytes(range(256)) * 4000


def write(path: Path, compression: str, content: bytes = CONTENT) -> Path:
    packs: dict[str, Callable[[bytes], bytes]] = {
        "none": bytes,
        "gzip": gzip.compress,
        "zstd": zstandard.compress,
    }
    path.write_bytes(packs[compression](content))
    return path


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
def test_content_comes_out_as_it_went_in(tmp_path: Path, compression: str) -> None:
    with opened(write(tmp_path / "f", compression), compression) as stream:
        assert stream.read() == CONTENT


@pytest.mark.parametrize(("compression", "pack"), [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_files_packed_in_several_runs_are_read_to_the_end(
    tmp_path: Path, compression: str, pack: object
) -> None:
    assert callable(pack)
    (tmp_path / "f").write_bytes(pack(b"first ") + pack(b"second"))
    with opened(tmp_path / "f", compression) as stream:
        assert stream.read() == b"first second"


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_compressed_file_cut_short_is_an_error_that_names_it(
    tmp_path: Path, compression: str, kept: float
) -> None:
    path = write(tmp_path / "half", compression)
    packed = path.read_bytes()
    path.write_bytes(packed[: int(len(packed) * kept)])
    with (
        pytest.raises(SourceError, match=r"^half: the .* data is cut short or damaged"),
        opened(path, compression) as s,
    ):
        s.read()


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_decompression_bomb_blows_the_fuse(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "bomb", compression, bytes(80 * 1024 * 1024))
    with (
        pytest.raises(UnsafeInputError, match=r"bomb: unpacks to more than 200 times"),
        opened(path, compression) as s,
    ):
        collections.deque(iter(lambda: s.read(1024 * 1024), b""), maxlen=0)


def test_a_repetitive_file_below_the_free_size_is_read(tmp_path: Path) -> None:
    with opened(write(tmp_path / "f", "gzip", bytes(8 * 1024 * 1024)), "gzip") as stream:
        assert len(stream.read()) == 8 * 1024 * 1024


def test_a_cap_on_the_unpacked_size_holds(tmp_path: Path) -> None:
    path = write(tmp_path / "f", "gzip")
    with (
        pytest.raises(UnsafeInputError, match="more than the allowed 1,000 bytes"),
        opened(path, "gzip", 1000) as s,
    ):
        s.read()


def test_the_place_on_disk_is_that_of_the_packed_file(tmp_path: Path) -> None:
    path = write(tmp_path / "f", "gzip")
    with opened(path, "gzip") as stream:
        stream.read()
        assert disk_position(stream) == path.stat().st_size < len(CONTENT)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="gone: cannot be opened"), opened(tmp_path / "gone", "none"):
        pass
