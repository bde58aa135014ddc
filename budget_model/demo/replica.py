"""One engine replica: continuous batching with chunked prefill under a token budget per step.

Each step decodes one token for every running sequence that has its first token, and spends what is
left of the budget on prompts, oldest first. A prompt that finds no budget stays in the queue, so one
long prompt delays the first token of those behind it and every token of those beside it.
Runs of steps in which nothing is decided are taken at once.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from budget_model.demo import scenario as sc


@dataclass(slots=True)
class Sequence:
    """One request inside the engine; moments are seconds since the window began."""

    index: int
    arrival_s: float
    prompt_left: int
    output_left: int  # tokens still to come; the first one comes with the end of the prompt
    scheduled_s: float = math.nan
    first_token_s: float = math.nan
    last_token_s: float = math.nan
    replica: int = -1
    instance: int = 0
    cold: bool = False


@dataclass(slots=True)
class Replica:
    """State of one replica between two arrivals."""

    number: int
    model: sc.Model
    restarts_s: deque[float]
    rng: np.random.Generator
    clock_s: float = 0.0
    instance: int = 0
    warm_up_s: float = 0.0
    waiting: deque[Sequence] = field(default_factory=deque)
    running: list[Sequence] = field(default_factory=list)

    def load(self) -> int:
        """Sequences waiting or running, which is what the router compares."""
        return len(self.waiting) + len(self.running)

    def submit(self, sequence: Sequence) -> None:
        """Queue a sequence; an idle replica may have to load its weights first."""
        sequence.replica = self.number
        if not self.running and not self.waiting:
            self._wake(sequence.arrival_s)
        self.waiting.append(sequence)

    def advance(self, until_s: float) -> None:
        """Run steps until the first step boundary at or after ``until_s``, or until there is no work."""
        while self.clock_s < until_s and (self.running or self.waiting):
            chunk, decoding = self._schedule()
            step_s = self._step_s(len(decoding), chunk)
            steps = 1 if chunk else self._uneventful(decoding, step_s, until_s)
            self.clock_s += step_s * steps
            self._emit(decoding, steps)

    def _wake(self, now_s: float) -> None:
        restarted = False
        while self.restarts_s and self.restarts_s[0] <= now_s:
            restarted_s = self.restarts_s.popleft()
            restarted = now_s - restarted_s < sc.IDLE_UNLOAD_S or restarted
        if restarted or now_s - self.clock_s > sc.IDLE_UNLOAD_S:
            self.instance += 1
            self.clock_s = now_s + float(self.rng.uniform(*sc.LOAD_S))
            self.warm_up_s = float(self.rng.uniform(*sc.WARM_UP_S))
        self.clock_s = max(self.clock_s, now_s)

    def _schedule(self) -> tuple[int, list[Sequence]]:
        """Give this step's budget out: prompt tokens taken, and the sequences that decode."""
        decoding = [s for s in self.running if s.prompt_left == 0]
        budget = self.model.token_budget - len(decoding)
        chunk = 0
        for sequence in self.running:
            take = min(sequence.prompt_left, budget - chunk)
            sequence.prompt_left -= take
            chunk += take
        while self.waiting and chunk < budget and len(self.running) < self.model.slots:
            sequence = self.waiting.popleft()
            sequence.scheduled_s, sequence.instance = self.clock_s, self.instance
            sequence.cold = self.warm_up_s > 0.0
            take = min(sequence.prompt_left, budget - chunk)
            sequence.prompt_left -= take
            chunk += take
            self.running.append(sequence)
        return chunk, decoding

    def _step_s(self, decoding: int, chunk: int) -> float:
        model = self.model
        ms = model.step_ms + model.seq_ms * decoding + model.prefill_token_ms * chunk
        warm_up_s, self.warm_up_s = self.warm_up_s, 0.0
        return ms / 1000.0 + warm_up_s

    def _uneventful(self, decoding: list[Sequence], step_s: float, until_s: float) -> int:
        to_arrival = math.ceil((until_s - self.clock_s) / step_s) if math.isfinite(until_s) else 1 << 30
        return max(1, min(to_arrival, min(s.output_left for s in decoding)))

    def _emit(self, decoding: list[Sequence], steps: int) -> None:
        for sequence in decoding:
            sequence.output_left -= steps
        for sequence in self.running:
            if sequence.prompt_left == 0 and math.isnan(sequence.first_token_s):
                sequence.first_token_s = self.clock_s
                sequence.output_left -= 1
            if sequence.output_left <= 0:
                sequence.last_token_s = self.clock_s
        self.running = [s for s in self.running if s.output_left > 0]
