"""Chromium for the tests in other hosts, as the browser tests have it."""

from tests.browser.conftest import chromium

__all__ = ["chromium"]
