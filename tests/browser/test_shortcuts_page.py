"""Hosts whose shortcuts come first, in a bare page: what moves a control reaches it all the same.

Notebook 7 starts Lumino's command registry in the capture phase, JupyterLab does not; seen in the
host itself in tests/hosts.
"""

from __future__ import annotations

from typing import Any

import pytest

from agentlens.breaker.policy import Policy
from agentlens.trace.load import load
from agentlens.widgets.lesson.parts import TokenLab
from agentlens.widgets.scan.scan import SessionList

pytestmark = pytest.mark.browser

CLASSIC = Policy.preset("classic")

#: Lumino's `processKeydownEvent` for a notebook in command mode, whose selectors end in ``:focus``:
#: from the target upwards, up to an element that wants no shortcuts.
REGISTRY = """
window.taken = [];
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  const held = [event.ctrlKey && "Ctrl", event.shiftKey && "Shift", event.key];
  const key = held.filter(Boolean).join(" ");
  if (!["ArrowUp", "ArrowDown", "Enter", "Shift Enter", "Ctrl s", "j", "d"].includes(key)) return;
  let node = event.target;
  for (; node && !node.hasAttribute("data-lm-suppress-shortcuts"); node = node.parentElement) {
    if (!node.matches(":focus")) continue;
    window.taken.push(key);
    event.preventDefault();
    event.stopPropagation();
    return;
  }
}, true);
"""


@pytest.fixture
def incident(root) -> Any:
    return load(root / "sample_traces" / "incident.jsonl")


def test_the_handles_get_their_keys_before_the_hosts_shortcuts(show, incident):
    page = show(incident, CLASSIC)
    page.page.evaluate(REGISTRY)
    page.press("threshold", "ArrowUp")
    assert page.handle("threshold").get_attribute("aria-valuenow") == "3"
    assert "round 4" in page.text(".al-verdict")
    page.press("threshold", "ArrowDown")
    assert "round 3" in page.text(".al-verdict")
    assert page.page.evaluate("taken") == []


def test_every_other_shortcut_stays_the_hosts(show, incident):
    page = show(incident, CLASSIC)
    page.page.evaluate(REGISTRY)
    page.press("threshold", "ArrowUp", "d", "j", "Shift+Enter", "Control+s")
    assert page.page.evaluate("taken") == ["d", "j", "Shift Enter", "Ctrl s"]
    page.page.evaluate("document.activeElement.blur()")
    page.page.evaluate("document.body.tabIndex = 0; document.body.focus()")
    assert page.page.evaluate("document.querySelector('[data-lm-suppress-shortcuts]')") is None


def test_a_stage_that_is_gone_listens_no_more(show, incident):
    page = show(incident, CLASSIC)
    page.page.evaluate(REGISTRY)
    page.page.evaluate(
        "window.seen = 0; const p = Element.prototype, old = p.setAttribute; p.setAttribute = "
        "function (n, v) { if (n.startsWith('data-lm')) seen += 1; return old.call(this, n, v); };"
        "0"
    )
    page.press("threshold", "ArrowUp")
    assert page.page.evaluate("seen") == 1
    page.page.evaluate("window.unmount()")
    page.page.keyboard.press("ArrowUp")
    assert page.page.evaluate("seen") == 1


def test_in_a_lens_the_controls_get_theirs_too(show, incident):
    """They are ipywidgets beside the stage; the Lens around both is known by its class."""
    page = show(incident, CLASSIC)
    page.page.evaluate(REGISTRY)
    page.page.evaluate(
        "const lens = document.getElementById('el'), s = document.createElement('select');"
        "lens.classList.add('agentlens-lens'); s.append(new Option('a'), new Option('b'));"
        "lens.append(s); s.focus();"
        "window.heard = 0; s.addEventListener('keydown', () => { heard += 1; });"
    )
    page.page.keyboard.press("ArrowDown")
    assert page.page.evaluate("heard") == 1


def test_a_lesson_and_a_table_of_sessions_get_theirs(show_view):
    shown = show_view(TokenLab("weather today", "weather"))
    shown.page.evaluate(REGISTRY)
    shown.page.get_by_role("button", name="中文").press("Enter")
    shown.page.get_by_role("button", name="EN").wait_for()
    assert shown.page.evaluate("taken") == []
    shown = show_view(SessionList(head=["run"], right=[], rows=[["one"], ["two"]]))
    shown.page.evaluate(REGISTRY)
    shown.page.locator("tbody tr").first.focus()
    for key in ("ArrowDown", "Enter"):
        shown.page.keyboard.press(key)
    assert shown.page.evaluate("model.get('selected')") == 1
    assert shown.page.evaluate("taken") == []
