"""The stage in a page as an editor's notebook renderer gives it: no network, ESM from a blob.

VS Code shows outputs in a webview with an AMD loader or none, a content-security policy, and
modules that anywidget imports from a blob. The policy here forbids every connection.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from agentlens.breaker.replay import replay
from agentlens.trace.load import load
from agentlens.widgets.esm import stage_css, stage_esm
from agentlens.widgets.lens.payload import as_json, stage_payload
from agentlens.widgets.plotly_source import plotly_gzip
from tests.browser.stage_page import STUB

pytestmark = pytest.mark.browser

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; connect-src 'none'; base-uri 'none'"
)
#: A loader that swallows whatever offers itself to it, and an empty `require`.
AMD = "window.taken = []; window.define = (...a) => taken.push(a); define.amd = {}; require = {};"
LOADED = """
const url = URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }));
const widget = (await import(url)).default;
URL.revokeObjectURL(url);
Model.prototype.send = function (message) {
  this.sent.push(message);
  const bytes = Uint8Array.from(atob(PLOTLY), (c) => c.charCodeAt(0));
  if (message.type === "plotly?")
    this.fire("msg:custom", { type: "plotly" }, [new DataView(bytes.buffer)]);
};
window.model = new Model(STATE);
await widget.initialize?.({ model: window.model });
await widget.render({ model: window.model, el: document.getElementById("el") });
document.body.dataset.taken = String((window.taken || []).length);
"""


@pytest.mark.parametrize("amd", [False, True], ids=["no loader", "AMD loader"])
def test_draws_and_drags_without_network_or_loader(chromium: Any, root, amd: bool):
    """The incident stops before round 3 at a threshold of 2, before round 4 at 3 (golden)."""
    found = replay(load(root / "sample_traces" / "incident.jsonl"), "classic")
    state = {
        "similarity": [4, 5], "threshold": 2, "selected": -1, "trip": -1, "confirmed": {},
        "x": "round", "lang": "en", "theme": "auto",
    }  # fmt: skip
    given = as_json({**state, "payload": stage_payload(found, lang="en")})
    script = (
        LOADED.replace("SOURCE", json.dumps(stage_esm()))
        .replace("PLOTLY", json.dumps(base64.b64encode(plotly_gzip()).decode()))
        .replace("STATE", given)
        .replace("</", "<\\/")
    )
    html = (
        f'<!doctype html><meta charset="utf-8"><title>cell</title><style>{stage_css()}</style>'
        f'<div id="el"></div><script>{AMD if amd else ""}</script>'
        f'<script type="module">{STUB}{script}</script>'
    )
    asked, said = [], []
    page = chromium.new_page(viewport={"width": 900, "height": 900})
    page.on("request", lambda r: asked.append(r.url))
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.route(
        "http://cell.test/",
        lambda route: route.fulfill(
            body=html,
            headers={
                "content-security-policy": POLICY,
                "content-type": "text/html; charset=utf-8",
            },
        ),
    )
    page.goto("http://cell.test/")
    page.locator(".al-plotly[style*='visibility: visible']").wait_for()  # no eval in such a page
    assert "round 3" in page.locator(".al-verdict").inner_text()
    page.locator(".al-handle-threshold").focus()
    page.keyboard.press("ArrowUp")
    page.locator(".al-verdict", has_text="round 4").wait_for()
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == ["http://cell.test/"]
    assert [text for text in said if "GL Driver" not in text] == []
    assert page.locator("body").get_attribute("data-taken") == "0"
    page.close()
