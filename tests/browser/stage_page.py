"""A page that shows a stage with a stub of the widget model: no Jupyter, no kernel."""

from __future__ import annotations

import json
from typing import Any

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.trace.build import TraceBuilder
from agentlens.trace.model import Trace
from agentlens.widgets.esm import stage_css, stage_esm
from agentlens.widgets.lens.payload import as_json, stage_payload
from agentlens.widgets.plotly_source import plotly_gzip
from benchmarks.model_page import ModelPage

STUB = """
class Model {
  constructor(state) { this.state = state; this.heard = {}; this.sent = []; this.saves = 0; }
  get(name) { return this.state[name]; }
  set(name, value) { this.state[name] = value; }
  save_changes() { this.saves += 1; }
  on(event, f) { (this.heard[event] = this.heard[event] || []).push(f); }
  off(event, f) { this.heard[event] = (this.heard[event] || []).filter((g) => g !== f); }
  fire(event, ...rest) { for (const f of [...(this.heard[event] || [])]) f(...rest); }
  put(name, value) { this.state[name] = value; this.fire(`change:${name}`); }
  send(message) {
    this.sent.push(message);
    if (window.ANSWERS) fetch("/plotly.gz").then((r) => r.arrayBuffer())
      .then((b) => this.fire("msg:custom", { type: "plotly" }, [new DataView(b)]));
  }
}
"""


def searches(queries: list[Any], **round_columns: Any) -> Trace:
    """Return a trace of one search a round; a tuple is a round of several searches."""
    builder = TraceBuilder("plain")
    for query in queries:
        row = builder.round(**round_columns)
        for text in query if isinstance(query, tuple) else (query,):
            builder.result(builder.call(row, "web_search", {"query": text}), "nothing")
    return builder.finish()


class StagePage(ModelPage):
    """One stage in a page of its own; `errors` holds what the page threw or warned of."""

    def __init__(
        self,
        browser: Any,
        trace: Trace,
        policy: Policy | None = None,
        *,
        plotly: bool = False,
        width: int = 1000,
        dark: bool = False,
        payload: dict[str, Any] | None = None,
        **traits: Any,
    ) -> None:
        if payload is None:
            payload = stage_payload(replay(trace, policy), lang=traits.get("lang", "en"))
        self.payload = payload
        state = {
            "similarity": self.payload.get("similarity", [4, 5]),
            "threshold": self.payload.get("threshold", 2),
            "selected": -1, "trip": -1, "confirmed": {}, "x": "round", "lang": "en",
            "theme": "auto",
            **traits,
        }  # fmt: skip
        html = f"""<!doctype html><meta charset="utf-8"><style>{stage_css()}</style>
        <body style="margin:16px;background:{"#111418" if dark else "#fff"}"><div id="el"></div>
        <script>window.ANSWERS = {json.dumps(plotly)};</script>
        <script type="module">{stage_esm().replace("export default", "const STAGE =")}
        {STUB}
        const state = Object.assign({json.dumps(state)}, {{ payload: PAYLOAD }});
        window.model = new Model(state);
        window.unmount = STAGE.render({{ model: window.model, el: document.getElementById("el") }});
        window.shown = true;
        </script>""".replace("PAYLOAD", as_json(self.payload).replace("</", "<\\/"), 1)
        plots = {"plotly.gz": (plotly_gzip(), "application/octet-stream")} if plotly else None
        view = {"width": width + 32, "height": 1000}
        super().__init__(browser, html, served=plots, viewport=view)
        if plotly:
            self.page.wait_for_function(
                "document.querySelector('.al-plotly').style.visibility === 'visible'"
            )

    def text(self, selector: str) -> str:
        """Return what an element says; empty where it is hidden."""
        self.settle()
        return self.page.evaluate(
            "(s) => { const e = document.querySelector(s); return e.hidden ? '' : e.textContent; }",
            selector,
        )

    def handle(self, kind: str) -> Any:
        """Return the grip of ``similarity`` or ``threshold``."""
        return self.page.locator(f".al-handle-{kind}")

    def press(self, kind: str, *keys: str) -> None:
        """Press keys on a handle."""
        self.handle(kind).focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def drag(self, kind: str, dy: float, *, steps: int = 8) -> None:
        """Drag a grip by some pixels with the mouse."""
        box = self.page.locator(f".al-handle-{kind} .al-pill").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for step in range(1, steps + 1):
            self.page.mouse.move(x + step, y + dy * step / steps)
        self.page.mouse.up()
        self.settle()

    def close(self) -> None:
        """Close the page."""
        self.page.close()
