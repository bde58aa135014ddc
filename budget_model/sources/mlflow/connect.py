"""From an address to a connection: the database where it can be read, else the API with a word why."""

from __future__ import annotations

from urllib.parse import urlsplit

from budget_model.errors import RemoteError
from budget_model.sources.mlflow.database import MlflowDatabase
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.limits import Credentials, Limits
from budget_model.sources.mlflow.schema import KNOWN_VERSIONS
from budget_model.sources.mlflow.stores import ApiStore, DatabaseStore


def open_store(
    uri: str,
    direct: str | None = None,
    *,
    credentials: Credentials | None = None,
    limits: Limits | None = None,
) -> ApiStore | DatabaseStore:
    """Connect to ``uri``: http(s)://SERVER, sqlite:///FILE or postgresql://...

    ``direct`` is the database behind a server, read instead of the API when its schema is known.
    ``credentials`` are for the server; those in the address are taken when there are none.
    Raises RemoteError in one sentence that repeats no password.
    """
    if urlsplit(uri.strip()).scheme not in ("http", "https"):
        return _database(uri, "", limits)
    api = MlflowApi(uri, credentials, limits)
    if not direct:
        return ApiStore(api)
    try:
        return _database(direct, api.base_url, limits)
    except RemoteError as problem:
        return ApiStore(api, note=f"read over the API, because {problem}")


def _database(url: str, pages: str, limits: Limits | None) -> DatabaseStore:
    database = MlflowDatabase(url, limits)
    version = database.version()
    if version in KNOWN_VERSIONS:
        return DatabaseStore(database, pages)
    database.close()
    raise RemoteError(
        f"{database.address}: its schema {version} is none that is known here; give the address of its server"
    )
