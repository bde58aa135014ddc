"""The address of an MLflow source as it is stored and shown: complete, but without credentials."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from budget_model.errors import SettingsError

ACCEPTED = "http(s)://HOST, sqlite:///FILE or postgresql://USER@HOST/NAME is accepted"

_SHOWN_OPTIONS = ("host", "port", "sslmode")


def public_address(uri: str) -> str:
    """The address without user name and password of a server, without the password of a database.

    >>> public_address("https://ann:secret@mlflow.example:8443/team/?token=x")
    'https://mlflow.example:8443/team'
    >>> public_address("postgresql+psycopg2://ann:secret@db/mlflow?sslmode=require&password=x")
    'postgresql://ann@db/mlflow?sslmode=require'

    A file's path becomes absolute. Raises SettingsError, which does not repeat the address as it may
    hold a password, when it is none of those accepted.
    """
    try:
        parts = urlsplit(uri.strip())
        _ = parts.port
    except ValueError as problem:
        raise SettingsError(f"the address of MLflow cannot be read ({problem}): {ACCEPTED}") from problem
    scheme = parts.scheme.partition("+")[0]
    if scheme in ("http", "https") and parts.hostname:
        return f"{scheme}://{_host(parts)}{parts.path.rstrip('/')}"
    if scheme == "sqlite" and parts.path.strip("/"):
        return f"sqlite:///{_file(parts.path)}"
    if scheme in ("postgresql", "postgres"):
        return _database(parts)
    raise SettingsError(f"the address of MLflow is none that can be read: {ACCEPTED}")


def has_credentials(uri: str) -> bool:
    """Whether something of the address is left out where it is stored."""
    parts = urlsplit(uri.strip())
    secret = parts.username if parts.scheme in ("http", "https") else parts.password
    return bool(secret) or any("password" in name for name, _ in parse_qsl(parts.query))


def _host(parts: SplitResult) -> str:
    name = parts.hostname or ""
    name = f"[{name}]" if ":" in name else name
    return name if parts.port is None else f"{name}:{parts.port}"


def _file(path: str) -> Path:
    # sqlite:///x is relative and sqlite:////x absolute: one slash parts host from path.
    return Path(path[1:]).expanduser().absolute()


def _database(parts: SplitResult) -> str:
    user = f"{parts.username}@" if parts.username else ""
    options = [(name, value) for name, value in parse_qsl(parts.query) if name in _SHOWN_OPTIONS]
    return f"postgresql://{user}{_host(parts)}{parts.path}" + (f"?{urlencode(options)}" if options else "")
