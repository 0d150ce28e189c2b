"""Any of our widgets in a page of its own: a stub of the widget model, no Jupyter, no kernel."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.model_page import ModelPage

__all__ = ["BarePage"]

_MODEL = """
class Model {
  constructor(state) { this.state = state; this.heard = {}; this.sent = []; }
  get(name) { return this.state[name]; }
  set(name, value) { this.state[name] = value; (this.fresh ||= {})[name] = value; }
  save_changes() { const set = this.fresh || {}; this.fresh = {}; this.tell({ set }); }
  send(message) { this.sent.push(message); this.tell({ message }); }
  async tell(what) {
    if (!window.python) return;
    const [changed, messages] = await window.python(what);
    if (what.set && window.LATE) await new Promise((done) => setTimeout(done, window.LATE));
    Object.assign(this.state, changed);
    const fire = (event, ...rest) => (this.heard[event] || []).forEach((f) => f(...rest));
    for (const name of Object.keys(changed)) fire(`change:${name}`);
    for (const one of messages) fire("msg:custom", one);
  }
  // One event at a time: Backbone takes several in one string, marimo does not.
  on(event, f) { (this.heard[event] ||= []).push(f); }
  off(event, f) { this.heard[event] = (this.heard[event] || []).filter((g) => g !== f); }
  put(name, value) {
    this.state[name] = value;
    for (const f of [...(this.heard[`change:${name}`] || [])]) f();
  }
}
"""


class BarePage(ModelPage):
    """One widget in a page.

    Parameters
    ----------
    browser
        Chromium.
    view
        An `anywidget.AnyWidget`, with its script, style and state.
    width, height
        Of the window, in CSS pixels.
    dark
        Whether the page asks for dark.
    live
        Whether the view hears what the page sets and sends, and answers, as it would in Jupyter.
    state
        Traits that differ from the view's own.
    """

    def __init__(
        self, browser: Any, view: Any, *, width: int = 1100, height: int = 1400,
        dark: bool = False, live: bool = False, **state: Any,
    ) -> None:  # fmt: skip
        self._view = view
        kept = {**self._traits(), **state}
        script = str(view._esm).replace("export default", "const WIDGET =")
        html = f"""<!doctype html><meta charset="utf-8"><style>{view._css}</style>
        <body style="margin:16px;background:{"#111418" if dark else "#fff"}"><div id="el"></div>
        <script type="module">{script}
        {_MODEL}
        window.model = new Model(STATE);
        WIDGET.render({{ model: window.model, el: document.getElementById("el") }});
        window.shown = true;
        </script>""".replace("STATE", json.dumps(kept).replace("</", "<\\/"), 1)
        super().__init__(
            browser, html, python=self._answer if live else None,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
        )  # fmt: skip

    def _traits(self) -> dict[str, Any]:
        values = {
            name: trait.get(self._view) for name, trait in self._view.traits(sync=True).items()
        }
        return {name: value for name, value in values.items() if _is_json(value)}

    def _answer(self, what: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """Give the view what the page says; return the traits that have changed, and messages."""
        before, said = {**self._traits(), **what.get("set", {})}, []
        self._view.send = lambda content, buffers=None: said.append(content)  # noqa: ARG005
        for name, value in what.get("set", {}).items():
            setattr(self._view, name, value)
        if "message" in what:
            self._view._handle_custom_msg(what["message"], [])
        return {n: v for n, v in self._traits().items() if before.get(n) != v}, said

    def sent(self) -> Any:
        """Return the messages that the page has sent."""
        self.settle()
        return self.page.evaluate("window.model.sent")


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True
