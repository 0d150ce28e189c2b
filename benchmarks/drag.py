"""Drag to paint in JupyterLab and Chromium; and from running the cell to something to read."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.lab import LabServer, browser
from benchmarks.page import NotebookPage
from benchmarks.paint import drag, percentile, zigzag
from benchmarks.runs import calls

__all__ = ["run"]

_LOAD = "import agentlens as al\ntrace = al.load({path!r})\nal.replay(trace, 'classic').verdict"
_LENS = "lens = al.Lens(trace, 'classic')\nlens"
_PEER = """
import ipywidgets, numpy as np, plotly.graph_objects as go

score = np.random.default_rng(1).random({rounds})
marks = go.Scattergl(x=np.arange({rounds}), y=score, mode="markers", marker=dict(cmin=0, cmax=1))
figure = go.FigureWidget(marks)
slider = ipywidgets.FloatSlider(value=0.5, min=0, max=1, step=0.001)

def moved(change):
    with figure.batch_update():
        figure.data[0].marker.color = (score >= change["new"]).astype(float)
        figure.layout.title.text = f"similarity {{change['new']:.3f}}"

slider.observe(moved, "value")
ipywidgets.VBox([slider, figure])
"""

#: Watches frame by frame from before a cell runs until its stage reads and until it is complete.
_WATCH = """() => {
  const start = performance.now();
  window.__shown = new Promise((resolve, reject) => {
    const times = {};
    const look = () => {
      const now = performance.now() - start;
      const verdict = document.querySelector('.al-verdict');
      const plotly = document.querySelector('.al-plotly .gl-canvas, .al-plotly .main-svg');
      if (verdict && verdict.textContent && !times.readable) times.readable = now;
      if (plotly && getComputedStyle(plotly).visibility === 'visible') {
        times.everything = now;
        return resolve(times);
      }
      if (now > 120000) return reject(new Error('no stage: ' + JSON.stringify(times)));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}"""

_COUNT_PLOTS = """() => {
  window.__plots = 0;
  const plot = document.querySelector('.js-plotly-plot');
  plot.on('plotly_afterplot', () => { window.__plots += 1; });
}"""


#: Finds the stage's model below the widgets of the page.
_FIND_MODEL = """() => {
  const walk = (widget) => {
    const model = widget._view && widget._view.model;
    if (model && model.get('confirmed') !== undefined) window.__stage = model;
    for (const child of widget.children()) walk(child);
  };
  walk(window.jupyterapp.shell.currentWidget);
}"""


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row a measurement: what, rounds, server extension, median and 95th percentile."""
    sizes = (100, 1_000) if quick else (100, 1_000, 10_000, 50_000)
    looped = (1_000,) if quick else (1_000, 10_000)
    rows: list[dict[str, Any]] = []
    for extension in (True, False):
        with LabServer(extension=extension) as server, browser() as chromium:
            for rounds in sizes if extension else looped:
                with _opened(chromium, server, rounds) as page:
                    rows += _stage(page, rounds, extension, rounds in looped)
            for rounds in looped:
                rows.append(_peer(chromium, server, rounds, extension))
    return sorted(rows, key=lambda row: (row["measured"], row["rounds"]))


def _opened(chromium: Any, server: LabServer, rounds: int) -> NotebookPage:
    trace = server.work / f"run-{rounds}.json"
    trace.write_text(json.dumps(calls(rounds), ensure_ascii=False), "utf-8")
    notebook = server.write(f"lens-{rounds}.ipynb", [_LOAD.format(path=str(trace)), _LENS])
    return NotebookPage(chromium, server, notebook)


def _stage(page: NotebookPage, rounds: int, extension: bool, looped: bool) -> list[dict[str, Any]]:
    """Measure one Lens: from running its cell, then dragged, then confirmed by the kernel."""
    page.command("notebook:run-cell-and-select-next")
    page.wait_idle()
    page.page.evaluate(_WATCH)
    page.command("notebook:run-cell")
    shown = page.page.evaluate("window.__shown")
    page.wait_idle()
    page.page.wait_for_timeout(1_000)
    grip = page.page.get_by_role("slider").first.element_handle()  # found once: looking costs
    grip.scroll_into_view_if_needed()
    pill = grip.query_selector(".al-pill")
    start, places = zigzag(pill, (0, 3), 10)
    rows = []
    if extension:
        rows += [
            {"measured": f"Lens: {what}", "rounds": rounds, "extension": "on", "ms": shown[key]}
            for what, key in (("first readable", "readable"), ("everything", "everything"))
        ]
        shows = "element.getAttribute('aria-valuetext')"
        lags = drag(page.page, grip, shows, start, places)
        rows.append(_row("Lens: dragged", rounds, extension, lags))
    if looped:
        page.wait_idle()
        page.page.evaluate(_FIND_MODEL)
        start, places = zigzag(pill, (0, 3), 10)
        shows = "JSON.stringify(window.__stage.get('confirmed'))"
        lags = drag(page.page, grip, shows, start, places)
        rows.append(_row("Lens: confirmed by the kernel", rounds, extension, lags))
    return rows


def _peer(chromium: Any, server: LabServer, rounds: int, extension: bool) -> dict[str, Any]:
    cell = _PEER.format(rounds=rounds)
    notebook = server.write(f"peer-{rounds}.ipynb", [cell])
    with NotebookPage(chromium, server, notebook) as page:
        page.run_all()
        page.page.wait_for_selector(".js-plotly-plot .gl-canvas", timeout=60_000)
        page.page.wait_for_timeout(2_000)
        page.page.evaluate(_COUNT_PLOTS)
        grip = page.page.locator(".noUi-handle").first.element_handle()
        start, places = zigzag(grip, (3, 0), 3)
        lags = drag(page.page, grip, "window.__plots", start, places)
        return _row("FigureWidget (scattergl) with a slider", rounds, extension, lags)


def _row(
    measured: str, rounds: int, extension: bool, lags: list[tuple[float, float]]
) -> dict[str, Any]:
    paint, following = zip(*lags, strict=True)
    return {
        "measured": measured,
        "rounds": rounds,
        "extension": "on" if extension else "off",
        "median ms": round(percentile(paint, 0.5), 1),
        "p95 ms": round(percentile(paint, 0.95), 1),
        "next frame p95 ms": round(percentile(following, 0.95), 1),
        "moves": len(lags),
    }
