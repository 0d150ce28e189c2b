"""The stage of a Lens and the token lab in marimo, as docs/hosts.md says to use them.

marimo puts an anywidget into a shadow tree; of other widgets it shows what they say as HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.hosts.looking import (
    check_handles,
    check_nothing_of_ours,
    check_picture,
    check_token_lab,
)
from tests.hosts.serving import HostPage, HostServer, needs

needs("marimo")

pytestmark = [pytest.mark.hosts, pytest.mark.browser]

APP = """import marimo

app = marimo.App()


@app.cell
def _():
    import agentlens as al
    import marimo as mo

    lens = al.Lens(INCIDENT, "classic")
    stage = mo.ui.anywidget(lens.stage)
    stage
    return al, lens, mo, stage


@app.cell
def _(lens, mo, stage):
    stage.value
    mo.md(f"kernel says {lens.replay.trip.round}")
    return


@app.cell
def _(al):
    al.TokenLab()
    return
"""
WHOLE = """import marimo

app = marimo.App()


@app.cell
def _():
    import agentlens as al

    al.Lens(INCIDENT, "classic")
    return
"""
#: As the browser asks, light or dark.
SETTINGS = '[tool.marimo.display]\ntheme = "system"\n'


@pytest.fixture(scope="module")
def incident(root) -> str:
    return repr(str(root / "sample_traces" / "incident.jsonl"))


def serve(folder: Any, app: str) -> HostServer:
    (folder / "app.py").write_text(app)
    (folder / "pyproject.toml").write_text(SETTINGS)
    return HostServer(folder, command)


def command(port: int, token: str) -> list[str]:
    return [
        *("marimo", "run", "app.py", "--headless", "--host=127.0.0.1", f"--port={port}"),
        *("--token", f"--token-password={token}"),
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory, incident: str) -> Iterator[HostServer]:
    app = APP.replace("INCIDENT", incident)
    with serve(tmp_path_factory.mktemp("marimo"), app) as running:
        yield running


def opened(chromium: Any, server: HostServer, *, dark: bool = False) -> HostPage:
    """Open the app; marimo runs its cells."""
    return HostPage(chromium, server, f"?access_token={server.token}", dark=dark)


def test_the_stage_and_the_token_lab(chromium: Any, server: HostServer):
    with opened(chromium, server) as shown:
        check_handles(shown)
        shown.page.get_by_text("kernel says 4").wait_for()
        check_picture(shown, theme="light")
        check_token_lab(shown)
        check_nothing_of_ours(shown)


def test_it_wears_the_dark_theme(chromium: Any, server: HostServer):
    with opened(chromium, server, dark=True) as shown:
        shown.page.locator(".al-stage").wait_for()
        check_picture(shown, theme="dark")


def test_of_a_whole_lens_the_still_picture_is_left(chromium: Any, tmp_path, incident: str):
    app = WHOLE.replace("INCIDENT", incident)
    with serve(tmp_path, app) as server, opened(chromium, server) as shown:
        still = shown.page.locator(".al-still")
        still.get_by_text("Would have stopped before round 3").first.wait_for()
        assert still.locator("svg").count() > 0
        check_nothing_of_ours(shown)
