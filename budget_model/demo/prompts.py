"""The prompts the demo's requests were made with, as a registry would hold them.

What version 4 of the chat prompt changed is why its answers are half as long again.
"""

from __future__ import annotations

import json

from budget_model.demo import scenario

_CHAT = """\
You are the assistant of {{company}}. You answer customers in their own language.

Rules:
- Use only what the conversation and the customer's account say.
- %s
- When you are not sure, say so and offer to ask a colleague.
- Never ask for passwords or card numbers."""

_SHORT = "Answer in at most three sentences. Give details only when the customer asks for them."
_LONG = (
    "Answer completely: give the steps in order, say why each is needed, and close with a summary and two "
    "questions the customer may want to ask next."
)

_RAG = """\
Answer the question from the passages below. %s
If the passages do not hold the answer, say that they do not.

Passages:
{{passages}}

Question: {{question}}"""

_CODE = """\
Change the file as the instruction says. Return the whole file and nothing else.

Instruction: {{instruction}}
File:
{{file}}"""

_SUMMARIZE = """\
Summarise the document in one paragraph, then list its obligations, each with its date and who owes it.

{{document}}"""


def prompt_texts() -> dict[tuple[str, str], str]:
    """Templates by name and version; those of the chat prompt are JSON of its messages."""
    chat, rag, code, summarize = scenario.WORKLOADS
    return {
        (chat.prompt_name, chat.prompt_version): _messages(_CHAT % _SHORT),
        (chat.prompt_name, scenario.NEW_VERSION): _messages(_CHAT % _LONG),
        (rag.prompt_name, "6"): _RAG % "Name the passage each statement comes from.",
        (rag.prompt_name, rag.prompt_version): _RAG % "After each statement give its passage as [n].",
        (code.prompt_name, code.prompt_version): _CODE,
        (summarize.prompt_name, summarize.prompt_version): _SUMMARIZE,
    }


def is_chat(name: str) -> bool:
    """Whether a prompt is a list of messages."""
    return name == scenario.WORKLOADS[scenario.CHAT].prompt_name


def _messages(system: str) -> str:
    return json.dumps([{"role": "system", "content": system}, {"role": "user", "content": "{{message}}"}])
