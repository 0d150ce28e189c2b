"""A host's real server in a folder of its own, and a page of it in Chromium."""

from __future__ import annotations

import importlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
import pytest

#: Cells: a Lens; an output that the kernel writes when the trip has moved; a widget not of ours.
LENS = "import agentlens as al\nlens = al.Lens({incident!r}, 'classic')\nlens"
HEARD = (
    "import ipywidgets\nheard = ipywidgets.Label()\n"
    "def tell(_):\n    heard.value = f'kernel says {lens.replay.trip.round}'\n"
    "lens.observe(tell, 'replay')\nheard"
)
PLAIN = "import ipywidgets\nipywidgets.Label('plain')"


def needs(module: str) -> None:
    """Skip the tests of a file where the host is not installed; in the CI step, fail."""
    if os.environ.get("AGENTLENS_HOSTS") == "1":
        importlib.import_module(module)
    else:
        pytest.importorskip(module)


def write_notebook(path: Path, cells: list[str]) -> None:
    """Write a notebook of code cells that has not been run."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(notebook, path)


class HostServer:
    """A server on a free port, with a token, that reads and writes nothing but its folder.

    Parameters
    ----------
    folder
        Where it works; its settings lie below.
    command
        Called with port and token: what follows ``python -m``.
    """

    def __init__(self, folder: Path, command: Callable[[int, str], list[str]]) -> None:
        self.folder, self.token, self.port = folder, secrets.token_hex(16), _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        with (folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *command(self.port, self.token)], cwd=folder,
                env=_environment(folder), stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self._wait()

    def _wait(self, seconds: float = 90) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.url, timeout=10).close()
                return
            except urllib.error.HTTPError:  # it listens, and asks for the token
                return
            except OSError:
                time.sleep(0.1)
        self.close()
        text = (self.folder / "server.log").read_text("utf-8", "replace")
        raise RuntimeError(f"the server did not start:\n{text[-3000:]}")

    def close(self) -> None:
        """Stop the server and its kernels."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is not None:
                return
            os.killpg(self.process.pid, sign)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                continue

    def __enter__(self) -> HostServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class HostPage:
    """A page of a server: what it showed, what it complained of, whom else it asked.

    Parameters
    ----------
    browser, server
        Chromium and the server.
    path
        Of the page, with a query that holds the token.
    dark
        Whether the page is asked for dark.
    size
        Width and height of the window in CSS pixels.

    Attributes
    ----------
    page
        Playwright's page.
    errors, foreign
        What it wrote to its console as an error or threw; addresses outside the server.
    """

    def __init__(
        self, browser: Any, server: HostServer, path: str, *, dark: bool = False,
        size: tuple[int, int] = (1400, 2400),
    ) -> None:  # fmt: skip
        self._home = urlsplit(server.url).netloc
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(90_000)
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._seen)
        self.page.on("websocket", self._seen)
        self.page.goto(f"{server.url}/{path}")

    def _seen(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts.netloc != self._home:
            self.foreign.append(request.url)

    def close(self) -> None:
        """Close the page."""
        self.context.close()

    def __enter__(self) -> HostPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment whose settings stay in the folder."""
    names = (
        "JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR JUPYTER_RUNTIME_DIR JUPYTERLAB_SETTINGS_DIR "
        "JUPYTERLAB_WORKSPACES_DIR IPYTHONDIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME "
        "XDG_STATE_HOME"
    ).split()
    return {**os.environ, **{name: str(folder / "settings" / name.lower()) for name in names}}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
