"""A report in Chromium from a file path: to write, its size, to open, and drag to paint."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import plotly

import agentlens as al
from agentlens.widgets.report.page import report_html
from benchmarks.lab import browser
from benchmarks.paint import drag, percentile, zigzag
from benchmarks.runs import calls

__all__ = ["run"]

SHOWN = ".al-verdict:not(:empty)"


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row a size: seconds to write, megabytes, milliseconds to open and to paint."""
    sizes = (1_000,) if quick else (100, 1_000, 10_000)
    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    plain = script.stat().st_size / 1e6
    rows = []
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        for rounds in sizes:
            made = al.replay(al.load(calls(rounds)), "classic")
            start = time.perf_counter()
            page = report_html(made)
            wrote = time.perf_counter() - start
            path = Path(folder) / f"{rounds}.html"
            path.write_text(page, "utf-8")
            rows.append(
                {
                    "rounds": rounds,
                    "write s": round(wrote, 2),
                    "MB": round(path.stat().st_size / 1e6, 2),
                    "plotly.js + 1 MB": round(plain + 1, 2),
                    **_opened(chromium, path),
                }
            )
    return rows


def _opened(chromium: Any, path: Path) -> dict[str, Any]:
    """Open a page three times, then drag a handle in it."""
    times = []
    for _ in range(3):
        page = chromium.new_page(viewport={"width": 1200, "height": 1400})
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector(SHOWN)
        page.evaluate("new Promise((f) => requestAnimationFrame(() => setTimeout(f)))")
        times.append(1000 * (time.perf_counter() - start))
        if len(times) < 3:
            page.close()
    grip = page.get_by_role("slider").first.element_handle()
    grip.scroll_into_view_if_needed()
    start, places = zigzag(grip.query_selector(".al-pill"), (0, 2), 10)  # in any track
    shows = "element.getAttribute('aria-valuetext')"
    lags = drag(page, grip, shows, start, places * 4)  # there and back: a steadier 95th percentile
    paint, following = zip(*lags, strict=True)
    page.close()
    return {
        "open ms": round(percentile(times, 0.5)),
        "drag median ms": round(percentile(paint, 0.5), 1),
        "drag p95 ms": round(percentile(paint, 0.95), 1),
        "next frame p95 ms": round(percentile(following, 0.95), 1),
    }
