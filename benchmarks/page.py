"""One notebook open in JupyterLab, as a person sees it: run, ask the kernel, save, look."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from benchmarks.lab import LabServer

__all__ = ["NotebookPage"]

_READY = """() => {
  const app = window.jupyterapp;
  const panel = app && app.shell.currentWidget;
  const session = panel && panel.sessionContext;
  return Boolean(session && panel.context.isReady && session.session && session.session.kernel
    && session.session.kernel.status === 'idle');
}"""

_ASK = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const user_expressions = {it: code};
  const future = kernel.requestExecute({code: '', store_history: false, user_expressions});
  return (await future.done).content.user_expressions.it;
}"""


class NotebookPage:
    """A notebook of a server, open in a page of its own.

    Parameters
    ----------
    browser, server
        Chromium and the server.
    path
        The notebook, as `LabServer.write` returned it.
    dark
        Whether JupyterLab wears its dark theme.
    size
        Width and height of the window in CSS pixels.

    Attributes
    ----------
    page
        Playwright's page.
    errors
        What the page wrote to its console as an error, and what it threw.
    foreign
        Addresses outside the server that it asked for.
    """

    def __init__(
        self, browser: Browser, server: LabServer, path: Path, *, dark: bool = False,
        size: tuple[int, int] = (1400, 1600), scale: float = 1,
    ) -> None:  # fmt: skip
        self.server, self.path = server, path
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale,
            color_scheme="dark" if dark else "light",
        )  # fmt: skip
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._seen)
        self.page.on("websocket", self._seen)
        self._theme("JupyterLab Dark" if dark else "JupyterLab Light")
        name = path.relative_to(server.work).as_posix()
        self.page.goto(f"{server.url}/lab/tree/{name}?token={server.token}&reset")
        self.page.wait_for_function(_READY, timeout=60_000)

    def _theme(self, name: str) -> None:
        folder = self.server.folder / "settings" / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "themes.jupyterlab-settings").write_text(json.dumps({"theme": name}))

    def _seen(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if (
            parts.scheme not in ("data", "blob", "about")
            and parts.netloc != urlsplit(self.server.url).netloc
        ):
            self.foreign.append(request.url)

    def command(self, name: str) -> None:
        """Run a command of JupyterLab, and wait until it is done."""
        self.page.evaluate("(name) => window.jupyterapp.commands.execute(name)", name)

    def run_all(self) -> None:
        """Run every cell, and wait until the kernel has answered."""
        self.command("notebook:run-all-cells")
        self.wait_idle()

    def wait_idle(self, seconds: float = 120) -> None:
        """Wait until the kernel has nothing left to do."""
        self.page.wait_for_function(_READY, timeout=1000 * seconds)

    def ask(self, expression: str) -> Any:
        """Return the value of a Python expression in the kernel; its repr must be a literal."""
        answer = self.page.evaluate(_ASK, expression)
        if answer["status"] != "ok":
            raise RuntimeError(f"{expression}: {answer['ename']}: {answer['evalue']}")
        text = answer["data"]["text/plain"]
        return ast.literal_eval(re.sub(r"^np\.\w+\((.*)\)$", r"\1", text))

    def wait_until(self, expression: str, value: Any, seconds: float = 10) -> Any:
        """Ask the kernel until an expression has a value; return what it had in the end."""
        found = self.ask(expression)
        for _ in range(round(seconds / 0.1)):
            if found == value:
                break
            self.page.wait_for_timeout(100)
            found = self.ask(expression)
        return found

    def save(self) -> dict[str, Any]:
        """Save the notebook and return what lies on the disk then."""
        before = self.path.stat().st_mtime_ns
        self.command("docmanager:save")
        for _ in range(100):
            if self.path.stat().st_mtime_ns != before:
                break
            self.page.wait_for_timeout(50)
        saved: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
        return saved

    def dialogs(self) -> list[str]:
        """Return the text of every dialog of JupyterLab that is open."""
        found: list[str] = self.page.locator(".jp-Dialog").all_inner_texts()
        return found

    def cell_errors(self) -> list[str]:
        """Return what cells printed when they failed."""
        found: list[str] = self.page.locator(
            "[data-mime-type='application/vnd.jupyter.stderr']"
        ).all_inner_texts()
        return found

    def close(self) -> None:
        """Close the page and stop its kernel."""
        self.context.close()
        self.server.stop_kernels()

    def __enter__(self) -> NotebookPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
