"""axe-core over a page, whatever the page's content-security policy forbids its own scripts."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

__all__ = ["findings"]

#: WCAG 2.2 at level AA and axe's own best practices; only these impacts count.
GRAVE = ("serious", "critical")


@cache
def _source() -> str:
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def findings(page: Any, within: str = "html", *, ignore: tuple[str, ...] = ()) -> list[str]:
    """Return the serious and critical findings, one line each: rule, place, why.

    axe is evaluated through the developer tools, which a content-security policy does not bind.

    Parameters
    ----------
    page
        Playwright's page.
    within
        Selector of the part that is looked at.
    ignore
        Rules that do not apply to the part, such as those of a whole page to a widget.
    """
    page.evaluate(_source() + ";undefined")
    options: dict[str, Any] = {
        "resultTypes": ["violations"],
        "rules": {rule: {"enabled": False} for rule in ignore},
    }
    found = page.evaluate("([at, options]) => axe.run(at, options)", [within, options])
    return [
        f"{one['id']} at {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]
