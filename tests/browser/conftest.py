"""Chromium and JupyterLab for the browser tests.

Where there is no Chromium they are skipped, except in continuous integration, where they fail.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks.bare import BarePage
from benchmarks.lab import LabServer, browser, chromium_path
from tests.browser.stage_page import StagePage


@pytest.fixture(
    scope="module"
)  # Playwright keeps an event loop running; no other module shall see it
def chromium() -> Iterator[Any]:
    """Yield a headless Chromium (Playwright's `Browser`)."""
    if chromium_path() is None:
        missing = "there is no Chromium: install it, or name it in $CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with browser() as running:
        yield running


@pytest.fixture(scope="session")
def lab() -> Iterator[LabServer]:
    """Yield a running JupyterLab: one server for the whole session."""
    with LabServer() as server:
        yield server


@pytest.fixture
def show(chromium: Any) -> Iterator[Callable[..., StagePage]]:
    """Return a function that opens a stage; the page must not have complained when it is closed."""
    pages: list[StagePage] = []

    def opened(*args: Any, **kwargs: Any) -> StagePage:
        pages.append(StagePage(chromium, *args, **kwargs))
        return pages[-1]

    yield opened
    for page in pages:
        page.close()
    assert [error for page in pages for error in page.errors] == []


@pytest.fixture
def show_view(chromium: Any) -> Iterator[Callable[..., BarePage]]:
    """Return a function that opens a live view; no page may have complained or fetched."""
    pages: list[BarePage] = []

    def opened(view: Any, **kwargs: Any) -> BarePage:
        pages.append(BarePage(chromium, view, live=True, **kwargs))
        return pages[-1]

    yield opened
    for shown in pages:
        shown.page.close()
    assert [error for shown in pages for error in shown.errors] == []
    assert [address for shown in pages for address in shown.asked] == []
