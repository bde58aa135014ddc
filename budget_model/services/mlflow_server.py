"""A tracking server to write to, opened by its address and the settings' login."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from budget_model.errors import SettingsError
from budget_model.exports.mlflow_client import Api
from budget_model.services.mlflow_address import has_credentials, public_address
from budget_model.settings import Login
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import MlflowCatalog


def server_address(uri: str) -> str:
    """The address without credentials. Raises SettingsError when it is not that of a server."""
    address = public_address(uri)
    if urlsplit(address).scheme not in ("http", "https"):
        raise SettingsError(
            f"{address}: runs are written through a tracking server; give its address, http(s)://HOST"
        )
    return address


def known_servers(ledger: Ledger) -> list[str]:
    """Addresses of servers that were synced, or that stand before a database that was; each once."""
    sources = MlflowCatalog(ledger).sources()
    found = (one for source in sources for one in (source.address, source.pages))
    return list(dict.fromkeys(one for one in found if urlsplit(one).scheme in ("http", "https")))


@contextmanager
def opened_server(uri: str, login: Login) -> Iterator[Api]:
    """A connection that asks everything once. Raises SettingsError for an address that is no server's.

    ``login`` is for an address that brings no credentials of its own.
    """
    # What talks to servers takes a while to load, which a dashboard that publishes nothing can do without.
    from budget_model.sources.mlflow.http import MlflowApi
    from budget_model.sources.mlflow.limits import Credentials, Limits

    server_address(uri)
    given = (login.user or login.token) and not has_credentials(uri)
    credentials = Credentials(login.user, login.password, login.token) if given else None
    api = MlflowApi(uri, credentials, Limits(attempts=1))
    try:
        yield api
    finally:
        api.close()
