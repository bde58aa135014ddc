"""How long and how much a connection may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one question to a server or database, so that none can hang or fill the memory.

    ``connect_s`` and ``silence_s`` bound the waits for a connection and between two pieces of an
    answer, ``answer_s`` the whole answer however it trickles. A server that is busy or failing is
    asked ``attempts`` times in all, ``pause_s`` apart and twice as long each time. One answer may have
    ``max_bytes``; ``at_once`` answers are asked for at a time, by default as many as MLflow's server
    has workers.
    """

    connect_s: float = 5.0
    silence_s: float = 30.0
    answer_s: float = 120.0
    attempts: int = 4
    pause_s: float = 0.5
    max_bytes: int = 256 * 1024 * 1024
    at_once: int = 4


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to sign in: a token, or a user's name and password; neither is ever shown."""

    user: str = ""
    password: str = ""
    token: str = ""

    def __repr__(self) -> str:
        return "Credentials(hidden)"
