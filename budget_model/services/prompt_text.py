"""A prompt's template as lines that people read and that can be compared."""

from __future__ import annotations

from typing import Any

import msgspec


def readable(text: str, *, is_chat: bool) -> str:
    """The text itself; of messages each with its role on a line of its own before it.

    What should be messages and is not is given as it stands. Every line ends with a newline alone.

    >>> readable('[{"role": "system", "content": "Be brief."}]', is_chat=True)
    '[system]\\nBe brief.'
    """
    messages = _decoded(text) if is_chat else None
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        told = text
    else:
        told = "\n\n".join(_message(one) for one in messages)
    return told.replace("\r\n", "\n")


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _message(message: dict[str, Any]) -> str:
    others = {name: value for name, value in message.items() if name not in ("role", "content")}
    told = [f"[{message.get('role', 'no role')}]", _content(message.get("content"))]
    told += [_json(others)] if others else []
    return "\n".join(one for one in told if one)


def _content(content: object) -> str:
    """A message's text; of several parts the texts, and anything else as JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        return "\n".join(_part(one) for one in content)
    return _json(content)


def _part(part: object) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    return text if isinstance(text, str) else _json(part)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
