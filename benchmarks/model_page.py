"""A page that holds one widget and a stub of its model: what it asks for, says and throws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["HOME", "ModelPage"]

#: Where the page stands: an address that leads nowhere.
HOME = "http://widget.test/"


class ModelPage:
    """One page whose script has set ``window.model`` and then ``window.shown``.

    Parameters
    ----------
    browser
        Chromium.
    html
        The page.
    served
        By file name what is answered besides the page: bytes or text, and its type.
    python
        What ``window.python`` of the page calls, if anything.
    options
        Of Playwright's `new_page`.

    Attributes
    ----------
    page
        Playwright's page.
    errors, asked
        What it threw or warned of, and the addresses that it asked for and did not get.
    """

    def __init__(
        self, browser: Any, html: str, *, served: Mapping[str, tuple[Any, str]] | None = None,
        python: Callable[..., Any] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        self._served = {"": (html, "text/html; charset=utf-8"), **(served or {})}
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page = browser.new_page(**options)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        self.page.route("**/*", self._serve)
        if python:
            self.page.expose_function("python", python)
        self.page.goto(HOME)
        self.page.wait_for_function("window.shown")
        self.settle()

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning") and "GL Driver" not in message.text:
            self.errors.append(message.text)

    def _serve(self, route: Any) -> None:
        url = route.request.url
        found = self._served.get(url.removeprefix(HOME)) if url.startswith(HOME) else None
        if found:
            route.fulfill(body=found[0], content_type=found[1])
        else:
            self.asked.append(url)
            route.fulfill(status=404, body="")

    def get(self, name: str) -> Any:
        """Return a trait as the page's model holds it."""
        self.settle()
        return self.page.evaluate("(name) => window.model.get(name)", name)

    def put(self, name: str, value: Any) -> None:
        """Set a trait as Python would."""
        self.page.evaluate("([name, value]) => window.model.put(name, value)", [name, value])
        self.settle()

    def settle(self) -> None:
        """Wait until two frames were painted."""
        self.page.evaluate(
            "() => new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))"
        )
