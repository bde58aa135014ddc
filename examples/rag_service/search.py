"""Exact vector search over the bundled documents: hashed words, weighted by rarity, cosine similarity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

DOCUMENTS = Path(__file__).parent / "documents.txt"
WIDTH = 1024

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """One document: what is found, put into the prompt and cited."""

    title: str
    text: str


class Index:
    """All passages as one matrix of unit vectors, shape (passages, WIDTH)."""

    def __init__(self, passages: list[Passage]) -> None:
        self.passages = passages
        counts = np.stack([_counts(f"{one.title} {one.text}") for one in passages])
        self._weights = np.log((1 + len(passages)) / (1 + (counts > 0).sum(axis=0))).astype(np.float32)
        self._matrix = np.stack([_unit(row * self._weights) for row in counts])

    def embed(self, question: str) -> Vector:
        """The unit vector of a question; zeros when it has no words."""
        return _unit(_counts(question) * self._weights)

    def nearest(self, vector: Vector, count: int) -> list[Passage]:
        """The ``count`` most similar passages, best first."""
        best = np.argsort(-(self._matrix @ vector), kind="stable")[:count]
        return [self.passages[place] for place in best]


def read_documents(path: Path = DOCUMENTS) -> list[Passage]:
    """Passages of a text file in which each begins with a line ``# title``."""
    found = re.findall(r"^# (.+)\n(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [Passage(title, text) for title, text in found]


def _counts(text: str) -> Vector:
    row = np.zeros(WIDTH, np.float32)
    for word in re.findall(r"\w+", text.casefold()):
        row[crc32(word.encode()) % WIDTH] += 1
    return row


def _unit(row: Vector) -> Vector:
    length = float(np.linalg.norm(row))
    return row if length == 0 else (row / length).astype(np.float32)
