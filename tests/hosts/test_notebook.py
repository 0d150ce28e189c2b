"""Lens and token lab in Notebook 7: mouse, keyboard, kernel, light and dark.

Notebook 7 gives keys to its own shortcuts first; JupyterLab does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.hosts.looking import (
    box_of,
    check_handles,
    check_nothing_of_ours,
    check_picture,
    check_token_lab,
)
from tests.hosts.serving import HEARD, LENS, PLAIN, HostPage, HostServer, needs, write_notebook

needs("notebook")

pytestmark = [pytest.mark.hosts, pytest.mark.browser]

READY = """() => {
  const panel = window.jupyterapp && window.jupyterapp.shell.currentWidget;
  const session = panel && panel.sessionContext;
  return Boolean(session && panel.context.isReady && session.session && session.session.kernel
    && session.session.kernel.status === "idle");
}"""
RUN = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


def command(port: int, token: str) -> list[str]:
    return [
        *("notebook", "--no-browser", "--allow-root", "--expose-app-in-browser"),
        *(f"--port={port}", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"),
        f"--IdentityProvider.token={token}",
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory, root) -> Iterator[HostServer]:
    folder = tmp_path_factory.mktemp("notebook")
    lens = LENS.format(incident=str(root / "sample_traces" / "incident.jsonl"))
    write_notebook(folder / "lens.ipynb", [lens, HEARD, "al.TokenLab()"])
    write_notebook(folder / "plain.ipynb", [PLAIN])
    with HostServer(folder, command) as running:
        yield running


def opened(chromium: Any, server: HostServer, name: str, *, dark: bool = False) -> HostPage:
    """Open a notebook and run its cells."""
    folder = server.folder / "settings" / "jupyterlab_settings_dir"
    themes = folder / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    themes.parent.mkdir(parents=True, exist_ok=True)
    themes.write_text(json.dumps({"theme": f"JupyterLab {'Dark' if dark else 'Light'}"}))
    shown = HostPage(chromium, server, f"notebooks/{name}?token={server.token}", dark=dark)
    shown.page.wait_for_function(READY)
    shown.page.evaluate(RUN)
    return shown


@pytest.fixture(scope="module")
def plain(chromium: Any, server: HostServer) -> Iterator[HostPage]:
    """Yield what Notebook itself says and asks for, with a widget that is not ours."""
    with opened(chromium, server, "plain.ipynb") as shown:
        shown.page.locator(".jupyter-widgets").get_by_text("plain").wait_for()
        yield shown


def test_the_lens_and_the_token_lab(chromium: Any, server: HostServer, plain: HostPage):
    with opened(chromium, server, "lens.ipynb") as shown:
        check_handles(shown)
        shown.page.get_by_text("kernel says 4").wait_for()
        check_picture(shown, theme="light")
        lens = shown.page.locator(".agentlens-lens")
        controls = lens.locator(".agentlens-controls > *").all()
        assert len({box_of(control)["y"] for control in controls}) == 1
        check_token_lab(shown)
        check_nothing_of_ours(shown, plain)


def test_the_controls_of_a_lens_hear_the_keyboard(chromium: Any, server: HostServer):
    """A drop-down is a native one: an arrow key chooses the next preset, and the kernel hears."""
    with opened(chromium, server, "lens.ipynb") as shown:
        shown.page.locator(".al-stage").wait_for()
        preset = shown.page.locator(".agentlens-controls select").first
        before = preset.input_value()
        preset.focus()
        shown.page.keyboard.press("ArrowDown")
        shown.page.wait_for_function(
            "(before) => document.querySelector('.agentlens-controls select').value !== before",
            arg=before,
        )


def test_it_wears_the_dark_theme(chromium: Any, server: HostServer):
    with opened(chromium, server, "lens.ipynb", dark=True) as shown:
        shown.page.locator(".al-stage").wait_for()
        check_picture(shown, theme="dark")
