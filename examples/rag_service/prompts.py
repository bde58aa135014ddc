"""The prompt in its versions, and what each class of work asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from examples.rag_service.search import Passage

NAME = "answer-from-passages"
_MARK = "»"

_INSTRUCTIONS = {
    "1": "Answer the question from the passages below.",
    "2": (
        "You answer questions of engineers who run services with language models. Answer from the "
        "passages below and from nothing else. Quote them where you can, say which passage you used, "
        "and say so when they do not hold the answer. Be brief: whoever asks is on call."
    ),
}
VERSIONS = tuple(_INSTRUCTIONS)


@dataclass(frozen=True, slots=True)
class Workload:
    """A class of work: passages to retrieve, and tokens to answer with."""

    passages: int
    answer_tokens: int


WORKLOADS = {"question": Workload(2, 24), "report": Workload(8, 64)}


def render(version: str, question: str, passages: Sequence[Passage]) -> str:
    """The prompt's text; its last sign stands before every passage, so an answer continues one."""
    found = "\n".join(f"{one.title} {_MARK} {one.text}" for one in passages)
    return f"{_INSTRUCTIONS[version]}\n{found}\nQuestion: {question} {_MARK}"
