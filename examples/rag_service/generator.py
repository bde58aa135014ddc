"""A small generator that works as a language model does and costs what one costs, in numpy.

Prefill runs every prompt token through dense and attention layers at once and fills a cache of keys
and values: its cost grows with the prompt. Decode runs one token a step against that cache. The
weights are random; words are chosen by an induction head, which looks where the last word stood in
the prompt and continues from there, so an answer quotes the passages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

WIDTH, LAYERS, SEED = 256, 4, 20
_REPEAT_COST = 0.5


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one layer: attention (query, key, value) and a dense part (wide, narrow)."""

    query: Array
    key: Array
    value: Array
    wide: Array
    narrow: Array


@dataclass(slots=True)
class State:
    """One sequence being generated: its words, what each layer remembers, and which words were taken."""

    words: list[str]
    keys: list[Array]
    values: list[Array]
    hidden: Array
    taken: Array
    prompt_tokens: int


class Generator:
    """The model; it holds no state of a request, so threads may share it."""

    def __init__(self) -> None:
        random = np.random.default_rng(SEED)
        self._layers = [_layer(random) for _ in range(LAYERS)]

    def prefill(self, words: Sequence[str]) -> tuple[State, str]:
        """Read a prompt of two words or more; the state after it, and the first word of the answer."""
        rows = np.stack([_vector(word) for word in words])
        keys, values = [], []
        for layer in self._layers:
            keys.append(rows @ layer.key)
            values.append(rows @ layer.value)
            rows = _through(layer, rows, keys[-1], values[-1], causal=True)
        state = State(list(words), keys, values, rows, np.zeros(len(words), np.float32), len(words))
        return state, self._choose(state)

    def step(self, state: State) -> str:
        """One decode step: the last word goes through the layers, the next one comes out."""
        row = _vector(state.words[-1])[None]
        for number, layer in enumerate(self._layers):
            state.keys[number] = np.vstack([state.keys[number], row @ layer.key])
            state.values[number] = np.vstack([state.values[number], row @ layer.value])
            row = _through(layer, row, state.keys[number], state.values[number], causal=False)
        return self._choose(state)

    def _choose(self, state: State) -> str:
        last = _vector(state.words[-1])
        before = np.stack([_vector(word) for word in state.words[: state.prompt_tokens - 1]])
        score = before @ last - _REPEAT_COST * state.taken[1:]
        place = 1 + int(np.argmax(score))
        state.taken[place] += 1
        state.words.append(state.words[place])
        return state.words[-1]


def words_of(text: str) -> list[str]:
    """A text as the generator's tokens: words and signs."""
    return re.findall(r"\w+|[^\w\s]", text)


def _layer(random: np.random.Generator) -> Layer:
    def weights(rows: int, columns: int) -> Array:
        drawn: Array = (random.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)
        return drawn

    query, key, value = (weights(WIDTH, WIDTH) for _ in range(3))
    return Layer(query, key, value, weights(WIDTH, 4 * WIDTH), weights(4 * WIDTH, WIDTH))


def _through(layer: Layer, rows: Array, keys: Array, values: Array, *, causal: bool) -> Array:
    scores = (rows @ layer.query) @ keys.T / np.float32(np.sqrt(WIDTH))
    if causal:
        scores += np.triu(np.full(scores.shape, -1e9, np.float32), 1)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    rows = _even(rows + (shares / shares.sum(axis=1, keepdims=True)) @ values)
    return _even(rows + np.maximum(rows @ layer.wide, 0) @ layer.narrow)


def _even(rows: Array) -> Array:
    size: Array = np.sqrt((rows * rows).mean(axis=1, keepdims=True) + np.float32(1e-6))
    return rows / size


@lru_cache(maxsize=50_000)
def _vector(word: str) -> Array:
    random = np.random.default_rng(crc32(word.casefold().encode()))
    row = random.standard_normal(WIDTH).astype(np.float32)
    length = np.float32(np.linalg.norm(row))
    return row / length
