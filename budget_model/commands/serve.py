"""``tailbudget serve``: open the dashboard on a home folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import budget_model
from budget_model.commands.common import HomeOption, err, settings_for
from budget_model.errors import SettingsError
from budget_model.settings import Settings

PortOption = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")]
AddressOption = Annotated[
    str, typer.Option("--address", help="Address to listen on; 0.0.0.0 lets other machines in.")
]
OpenOption = Annotated[
    bool,
    typer.Option("--open/--no-open", "--browser/--no-browser", help="Open the dashboard in a browser."),
]


def serve(
    home: HomeOption = None,
    port: PortOption = 8501,
    address: AddressOption = "127.0.0.1",
    open_: OpenOption = True,
) -> None:
    """Open the dashboard."""
    settings = settings_for(home)
    err.print(
        f"The dashboard on {settings.home}: http://{address}:{port} (stop it with Ctrl-C)", markup=False
    )
    command = server_command(find_app(), port, address, open_browser=open_)
    # The server takes this process's place, so that a signal to the command reaches the server.
    os.execve(command[0], command, server_environment(settings, os.environ))


def find_app() -> Path:
    """The dashboard's first page: beside the package in a checkout, inside it when installed.

    Raises SettingsError when the installation has neither.
    """
    package = Path(budget_model.__file__).parent
    for folder in (package.parent, package / "dashboard"):
        if (folder / "app.py").is_file() and (folder / "pages").is_dir():
            return folder / "app.py"
    raise SettingsError(
        f"the dashboard's pages are neither beside nor inside {package}; install tailbudget again"
    )


def server_command(app: Path, port: int, address: str, *, open_browser: bool) -> list[str]:
    """What starts the server; ``server.showEmailPrompt`` off, as the prompt would wait for an answer."""
    options = {
        "server.port": str(port),
        "server.address": address,
        "server.headless": str(not open_browser).lower(),
        "server.showEmailPrompt": "false",
        "logger.hideWelcomeMessage": "true",  # this command says where the dashboard is
        "server.fileWatcherType": "none",  # it would watch every folder of the environment
        "browser.gatherUsageStats": "false",
    }
    flags = [text for name, value in options.items() for text in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", str(app), *flags]


def server_environment(settings: Settings, environ: os._Environ[str] | dict[str, str]) -> dict[str, str]:
    """The environment with the home folder in it, which the pages read."""
    return {**environ, "TAILBUDGET_HOME": str(settings.home)}
