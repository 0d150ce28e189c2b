"""A real JupyterLab in a temporary folder and a real Chromium: for tests, timings and pictures."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nbformat

from benchmarks.runs import calls

__all__ = ["FLAGS", "LabServer", "browser", "chromium_path"]

#: No sandbox (it runs as root in containers), no GPU, and nothing that calls home.
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def chromium_path() -> str | None:
    """Return the installed Chromium: ``$CHROMIUM``, or the system's; None where there is none."""
    wanted = os.environ.get("CHROMIUM")
    return shutil.which(wanted) if wanted else shutil.which("chromium")


@contextmanager
def browser() -> Iterator[Any]:
    """Run headless Chromium under Playwright and yield its `Browser`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(), headless=True, args=FLAGS
        )
        try:
            yield chromium
        finally:
            chromium.close()


class LabServer:
    """`agentlens lab` on a free port, with a token, in a folder of its own; settings stay there.

    Parameters
    ----------
    extension
        Whether the server extension of agentlens is on.
    """

    def __init__(self, *, extension: bool = True) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="agentlens-lab-"))
        self.work = self.folder / "work"
        self.work.mkdir()
        self.token = secrets.token_hex(16)
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        (self.folder / "config").mkdir()
        config = {"ServerApp": {"jpserver_extensions": {"agentlens.server": extension}}}
        (self.folder / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
        trace = self.work / "run.json"
        trace.write_text(json.dumps(calls(5)))
        command = [
            *(sys.executable, "-m", "agentlens.cli", "lab", str(trace), "--no-browser"),
            *("--port", str(self.port), "--", "--expose-app-in-browser"),
            *("--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"),
            f"--IdentityProvider.token={self.token}",
        ]
        self.log = (self.folder / "server.log").open("wb")
        self.process = subprocess.Popen(
            command, cwd=self.work, env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self._wait()

    def _environment(self) -> dict[str, str]:
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        return {**os.environ, **{name: str(self.folder / place) for name, place in places.items()}}

    def _wait(self, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                self.request("GET", "api/status")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        text = (self.folder / "server.log").read_text("utf-8", "replace")
        self.close()
        raise RuntimeError(f"JupyterLab did not start:\n{text[-3000:]}")

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Call the server's REST interface and return its answer, parsed."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{self.url}/{path}", data=data, method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def write(self, name: str, cells: list[str]) -> Path:
        """Write a notebook of code cells and return where it is."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        path = self.work / name
        nbformat.write(notebook, path)
        return path

    def stop_kernels(self) -> None:
        """Stop every kernel, as a user does who shuts one down from another window."""
        for session in self.request("GET", "api/sessions"):
            self.request("DELETE", f"api/sessions/{session['id']}")
        for kernel in self.request("GET", "api/kernels"):
            self.request("DELETE", f"api/kernels/{kernel['id']}")

    def close(self) -> None:
        """Stop the server with its kernels and remove its folder."""
        if self.process.poll() is None:
            with suppress(OSError):
                self.stop_kernels()
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(10)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> LabServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
