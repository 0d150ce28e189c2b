"""Lens and token lab in a Voilà dashboard: mouse, keyboard, kernel, light and dark.

Voilà's own page asks a content network for icons, whatever notebook it shows.
"""

from __future__ import annotations

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

needs("voila")

pytestmark = [pytest.mark.hosts, pytest.mark.browser]


def command(port: int, token: str) -> list[str]:
    return [
        *("voila", "--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1"),
        *(f"--token={token}", "--VoilaConfiguration.allow_theme_override=YES"),
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory, root) -> Iterator[HostServer]:
    folder = tmp_path_factory.mktemp("voila")
    lens = LENS.format(incident=str(root / "sample_traces" / "incident.jsonl"))
    write_notebook(folder / "lens.ipynb", [lens, HEARD, "al.TokenLab()"])
    write_notebook(folder / "plain.ipynb", [PLAIN])
    with HostServer(folder, command) as running:
        yield running


def opened(chromium: Any, server: HostServer, name: str, *, dark: bool = False) -> HostPage:
    """Open a notebook as a dashboard; Voilà runs its cells."""
    theme = "dark" if dark else "light"
    path = f"voila/render/{name}?token={server.token}&theme={theme}"
    return HostPage(chromium, server, path, dark=dark)


@pytest.fixture(scope="module")
def plain(chromium: Any, server: HostServer) -> Iterator[HostPage]:
    """Yield what Voilà itself says and asks for, with a widget that is not ours."""
    with opened(chromium, server, "plain.ipynb") as shown:
        shown.page.locator(".jupyter-widgets").get_by_text("plain").wait_for()
        yield shown


def test_the_lens_and_the_token_lab(chromium: Any, server: HostServer, plain: HostPage):
    with opened(chromium, server, "lens.ipynb") as shown:
        check_handles(shown)
        shown.page.get_by_text("kernel says 4").wait_for()
        check_picture(shown, theme="light")
        controls = shown.page.locator(".agentlens-lens .agentlens-controls > *").all()
        assert len({box_of(control)["y"] for control in controls}) == 1
        check_token_lab(shown)
        check_nothing_of_ours(shown, plain)


def test_it_wears_the_dark_theme(chromium: Any, server: HostServer):
    with opened(chromium, server, "lens.ipynb", dark=True) as shown:
        shown.page.locator(".al-stage").wait_for()
        check_picture(shown, theme="dark")
