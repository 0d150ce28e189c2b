"""Light or dark by the ground that the stage stands on, in whatever notation a page computes it.

marimo's white is ``color(srgb 1 1 1)``; seen in the host itself in tests/hosts.
"""

from __future__ import annotations

from typing import Any

import pytest

from agentlens.breaker.policy import Policy
from agentlens.trace.load import load

pytestmark = pytest.mark.browser

CLASSIC = Policy.preset("classic")


@pytest.fixture
def incident(root) -> Any:
    return load(root / "sample_traces" / "incident.jsonl")


GROUNDS = [
    ("color(srgb 1 1 1)", "light"), ("oklch(0.98 0.01 250)", "light"), ("lab(95 0 0)", "light"),
    ("color(srgb 0.07 0.09 0.11)", "dark"), ("oklch(0.2 0.02 250)", "dark"), ("#181818", "dark"),
]  # fmt: skip


@pytest.mark.parametrize(("ground", "theme"), GROUNDS)
def test_the_theme_is_that_of_a_ground_in_any_notation(show, incident, ground, theme):
    page = show(incident, CLASSIC, dark=theme == "light")
    page.page.evaluate("(c) => { document.body.style.background = c; }", ground)
    page.page.wait_for_function(
        "(t) => document.querySelector('.al-stage').dataset.theme === t", arg=theme
    )


def test_a_ground_that_lets_through_does_not_decide(show, incident):
    page = show(incident, CLASSIC)
    page.page.evaluate(
        "document.getElementById('el').style.background = 'color(srgb 0 0 0 / 0.1)';"
        "document.body.style.background = 'color(srgb 1 1 1)'"
    )
    page.page.wait_for_timeout(300)
    assert page.page.locator(".al-stage").get_attribute("data-theme") == "light"
