"""The one reader of the environment. Everything else is handed a ``Settings`` value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from budget_model.errors import SettingsError

MOST_WORKERS, MOST_THREADS, MOST_MEMORY_MB = 64, 256, 16_777_216
"""More than any machine this runs on has; a slip of the keyboard must not exhaust one."""

_DATABASES = ("sqlite:///", "postgresql://", "postgres://", "postgresql+psycopg://")

DEFAULT_BUCKET_EDGES: tuple[int, ...] = (256, 1024, 4096, 16384, 65536)


@dataclass(frozen=True, slots=True)
class Login:
    """How to sign in at a server: a token, or a name and a password. Never shown."""

    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are and how much of the machine may be used.

    >>> load_settings(Path("/srv/tailbudget"), {}).database_url
    'sqlite:////srv/tailbudget/ledger.db'
    """

    home: Path
    database_url: str
    bucket_edges: tuple[int, ...]  # prompt tokens; a bucket holds [edge, next edge)
    workers: int  # processes reading one import
    query_threads: int
    query_memory_mb: int
    correct_skew: bool  # shift spans whose clock disagrees with their parent's host
    mlflow_login: Login = Login()

    @property
    def segments_dir(self) -> Path:
        """Folder of the immutable Parquet segments."""
        return self.home / "segments"

    @property
    def is_ledger_at_home(self) -> bool:
        """Whether the ledger is the home's own file, and no database elsewhere."""
        return self.database_url == _own_ledger(self.home)

    @property
    def rules_file(self) -> Path:
        """The user's own hop and segment rules (TOML); need not exist."""
        return self.home / "rules.toml"


def load_settings(home: Path | None, env: Mapping[str, str]) -> Settings:
    """Settings from an explicit home folder and the environment.

    ``home`` wins over ``TAILBUDGET_HOME``, which wins over the user's data folder.
    Raises SettingsError naming the variable, its value and what is accepted.
    """
    chosen = home or Path(env.get("TAILBUDGET_HOME") or platformdirs.user_data_path("tailbudget"))
    chosen = chosen.expanduser().absolute()
    return Settings(
        home=chosen,
        database_url=_database_url(env.get("TAILBUDGET_DATABASE_URL"), chosen),
        bucket_edges=_edges(env.get("TAILBUDGET_BUCKET_EDGES")),
        workers=_count(env, "TAILBUDGET_WORKERS", 2, MOST_WORKERS),
        query_threads=_count(env, "TAILBUDGET_QUERY_THREADS", 2, MOST_THREADS),
        query_memory_mb=_count(env, "TAILBUDGET_QUERY_MEMORY_MB", 4096, MOST_MEMORY_MB),
        correct_skew=_switch(env, "TAILBUDGET_CORRECT_SKEW"),
        mlflow_login=_mlflow_login(env),
    )


def _mlflow_login(env: Mapping[str, str]) -> Login:
    """From the variables that MLflow's own client reads."""
    return Login(*(env.get(f"MLFLOW_TRACKING_{name}", "") for name in ("USERNAME", "PASSWORD", "TOKEN")))


def _database_url(text: str | None, home: Path) -> str:
    """The value is not repeated in a refusal: it may hold a password."""
    if not text:
        return _own_ledger(home)
    if not text.startswith(_DATABASES):
        raise SettingsError(
            "TAILBUDGET_DATABASE_URL: sqlite:///FILE or postgresql://USER@HOST/NAME is accepted"
        )
    return text


def _own_ledger(home: Path) -> str:
    return f"sqlite:///{home}/ledger.db"


def _count(env: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = env.get(name, "")
    if not text:
        return default
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise SettingsError(f"{name}={text!r}: a whole number from 1 to {most} is accepted")
    return int(text)


def _switch(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "").lower()
    if text not in ("", "0", "1", "off", "on"):
        raise SettingsError(f"{name}={text!r}: on or off is accepted")
    return text in ("1", "on")


def _edges(text: str | None) -> tuple[int, ...]:
    if not text:
        return DEFAULT_BUCKET_EDGES
    parts = [part.strip() for part in text.split(",")]
    edges = tuple(int(part) for part in parts if part.isdecimal())
    if len(edges) != len(parts) or list(edges) != sorted(set(edges)) or edges[0] < 1:
        raise SettingsError(
            f"TAILBUDGET_BUCKET_EDGES={text!r}: rising whole numbers are accepted, such as 256,1024,4096"
        )
    return edges
