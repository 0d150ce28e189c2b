"""Take the pictures of docs/images: the Lens in JupyterLab, the state machine, and the lanes.

``python docs/make_images.py [NAME ...]`` needs Chromium and a font with Chinese characters.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
INCIDENT = ROOT / "sample_traces" / "incident.jsonl"
#: Name of the picture: rounds of the run, language of the words, dark theme.
PICTURES = {
    f"lens-{lang}-{rounds}-{'dark' if dark else 'light'}": (rounds, lang, dark)
    for rounds in (5, 200, 10_000)
    for lang in ("en", "zh")
    for dark in (False, True)
}


#: The machine with the path of the incident: language of the words, theme.
MACHINES = {
    f"machine-{lang}-{theme}": (lang, theme) for lang in ("en", "zh") for theme in ("light", "dark")
}

#: Every rule on one run: language of the words, theme.
LANES = {"lanes-en-light": ("en", "light")}
NOTEBOOK = ROOT / "notebooks" / "03_rules.ipynb"


def lanes(chromium: Any, name: str) -> Path:
    """Draw the lanes of the notebook's run and return where they are."""
    import agentlens as al

    lang, theme = LANES[name]
    known: dict[str, Any] = {}
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    for cell in [cell for cell in cells if cell["cell_type"] == "code"][:3]:
        exec("".join(cell["source"]), known)  # noqa: S102 - our own notebook
    presets = (
        "openhands gemini-cli roo-code cline crewai opencode browser-use crush hermes openclaw "
        "stella deerflow smolagents openai-agents"
    )
    figure = al.figures.lanes(known["replay"], presets.split(), steps=20, lang=lang, theme=theme)
    return _shot(chromium, figure, name, theme)


def draw(chromium: Any, name: str) -> Path:
    """Draw the machine and return where it is."""
    import agentlens as al

    lang, theme = MACHINES[name]
    replay = al.replay(al.load(str(INCIDENT)), "classic")
    figure = al.figures.state_machine(replay, lang=lang, theme=theme)
    return _shot(chromium, figure, name, theme)


def _shot(chromium: Any, figure: Any, name: str, theme: str) -> Path:
    import plotly.io as pio

    figure.update_layout(paper_bgcolor="#111418" if theme == "dark" else "#FFFFFF")
    page = chromium.new_page(viewport={"width": 1000, "height": 480}, device_scale_factor=1.5)
    page.set_content(pio.to_html(figure, include_plotlyjs=True, config={"displayModeBar": False}))
    page.locator(".main-svg").first.wait_for()
    page.wait_for_timeout(500)
    target = IMAGES / f"{name}.png"
    page.locator(".plotly-graph-div").screenshot(path=target)
    page.close()
    return target


def take(chromium: Any, server: Any, name: str) -> Path:
    """Take one picture and return where it is."""
    from benchmarks.page import NotebookPage
    from benchmarks.runs import calls

    rounds, lang, dark = PICTURES[name]
    trace = INCIDENT
    if rounds != 5:
        trace = server.work / f"run-{rounds}.json"
        trace.write_text(json.dumps(calls(rounds), ensure_ascii=False), "utf-8")
    cells = [
        f"import agentlens as al\ntrace = al.load({str(trace)!r})",
        f"lens = al.Lens(trace, 'classic', lang={lang!r})\nlens",
        f"lens.stage.selected = lens.replay.trip.row if {rounds} == 5 else -1",
    ]
    notebook = server.write(f"{name}.ipynb", cells)
    with NotebookPage(chromium, server, notebook, dark=dark, size=(1280, 1800), scale=1.5) as page:
        page.command("application:toggle-left-area")
        page.run_all()
        page.page.locator(".al-plotly .main-svg").first.wait_for()
        page.page.wait_for_timeout(1_500)
        page.page.add_style_tag(content=".jp-OutputPrompt { visibility: hidden }")
        output = page.page.locator(".jp-Cell").nth(1).locator(".jp-OutputArea-output").first
        output.scroll_into_view_if_needed()
        box = output.bounding_box()
        target = IMAGES / f"{name}.png"
        page.page.screenshot(path=target, clip=_with_margin(box))
    return target


def _with_margin(box: dict[str, float], margin: float = 12) -> dict[str, float]:
    """Return a box with some ground on both sides of it."""
    return {
        "x": box["x"] - margin,
        "y": box["y"],
        "width": box["width"] + 2 * margin,
        "height": box["height"],
    }


def main(names: list[str]) -> int:
    """Take the named pictures, or all of them."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.lab import LabServer, browser

    IMAGES.mkdir(exist_ok=True)
    wanted = names or [*PICTURES, *MACHINES, *LANES]
    with ExitStack() as stack:
        chromium, server = stack.enter_context(browser()), None
        for name in wanted:
            if name in PICTURES and server is None:
                server = stack.enter_context(LabServer())
            if name in MACHINES:
                target = draw(chromium, name)
            elif name in LANES:
                target = lanes(chromium, name)
            else:
                target = take(chromium, server, name)
            print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
