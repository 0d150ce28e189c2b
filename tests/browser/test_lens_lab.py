"""The Lens as a person meets it: real JupyterLab, real Chromium, mouse and keyboard.

The numbers are the design's own: on the incident threshold 2 trips at round 3, 3 at round 4 and
1 at round 2; on the boundary sample similarity 0.80 trips at round 3 and 0.81 never does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks.lab import LabServer
from benchmarks.page import NotebookPage

pytestmark = pytest.mark.browser

CELLS = [
    "import agentlens as al\nincident = al.load({incident!r})\nboundary = al.load({boundary!r})",
    'lens = al.Lens(incident, "classic")\nlens',
    'edge = al.Lens(boundary, "classic")\nedge',
]


@pytest.fixture(scope="module")
def opened(chromium: Any, lab: LabServer, root) -> Iterator[NotebookPage]:
    """Yield a notebook with two Lenses, run once."""
    samples = {
        name: str(root / "sample_traces" / f"{name}.jsonl") for name in ("incident", "boundary")
    }
    cells = [cell.format(**samples) for cell in CELLS]
    with NotebookPage(chromium, lab, lab.write("lens.ipynb", cells), size=(1400, 2600)) as page:
        page.run_all()
        page.page.locator(".al-stage").nth(1).wait_for()
        yield page


class Stage:
    """One Lens on the page and its name in the kernel."""

    def __init__(self, notebook: NotebookPage, place: int, name: str):
        self.notebook, self.name = notebook, name
        self.root = notebook.page.locator(".agentlens-lens").nth(place)
        self.similarity, self.threshold = (self.root.get_by_role("slider").nth(i) for i in (0, 1))

    def verdict(self) -> str:
        return self.root.locator(".al-verdict").inner_text()

    def drag(self, grip: Any, step: int, done: Callable[[], bool]) -> None:
        """Drag a grip by its pill, so many pixels a move, until `done`; then let go."""
        mouse = self.notebook.page.mouse
        grip.scroll_into_view_if_needed()
        box = grip.locator(".al-pill").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        mouse.move(x, y)
        mouse.down()
        for _ in range(60):
            y += step
            mouse.move(x, y)
            self.notebook.page.wait_for_timeout(30)
            if done():
                break
        mouse.up()
        assert done(), grip.get_attribute("aria-valuetext")

    def press(self, grip: Any, *keys: str) -> None:
        grip.focus()
        for key in keys:
            self.notebook.page.keyboard.press(key)
        self.notebook.page.wait_for_timeout(60)

    def in_kernel(self, expression: str, value: Any) -> Any:
        return self.notebook.wait_until(f"{self.name}.{expression}", value)


@pytest.fixture
def incident(opened: NotebookPage) -> Stage:
    stage = Stage(opened, 0, "lens")
    stage.press(stage.threshold, "Home", "ArrowUp")
    assert stage.threshold.get_attribute("aria-valuenow") == "2"
    return stage


@pytest.fixture
def edge(opened: NotebookPage) -> Stage:
    return Stage(opened, 1, "edge")


def test_it_shows_the_verdict(incident: Stage):
    assert "round 3" in incident.verdict()
    assert "21.5 s" in incident.verdict()
    assert incident.in_kernel("replay.trip.round", 3) == 3
    assert not incident.notebook.cell_errors()


def test_the_verdict_stands_above_the_controls_and_the_controls_above_the_graph(incident: Stage):
    parts = (".al-verdict", ".agentlens-controls", ".al-plot")
    tops = [incident.root.locator(part).bounding_box()["y"] for part in parts]
    assert tops == sorted(tops)


def test_the_mouse_moves_the_threshold_and_the_trip_with_it(incident: Stage):
    grip = incident.threshold
    incident.drag(grip, -3, lambda: grip.get_attribute("aria-valuenow") == "3")
    assert "round 4" in incident.verdict()
    assert incident.in_kernel("replay.trip.round", 4) == 4
    assert incident.in_kernel("policy.threshold", 3) == 3
    incident.drag(grip, 3, lambda: grip.get_attribute("aria-valuenow") == "1")
    assert "round 2" in incident.verdict()
    assert incident.in_kernel("replay.trip.round", 2) == 2


def test_the_keyboard_moves_the_threshold_and_the_trip_with_it(incident: Stage):
    incident.press(incident.threshold, "ArrowUp")
    assert "round 4" in incident.verdict()
    assert incident.in_kernel("replay.trip.round", 4) == 4
    incident.press(incident.threshold, "Home")
    assert "round 2" in incident.verdict()
    assert incident.in_kernel("replay.trip.round", 2) == 2


def test_the_mouse_moves_the_similarity_past_the_edge(edge: Stage):
    grip = edge.similarity
    edge.press(grip, "Home")
    assert edge.in_kernel("replay.trip.round", 3) == 3

    def above() -> bool:
        return float(grip.get_attribute("aria-valuenow")) > 0.8

    edge.drag(grip, -2, above)
    assert "round 3" not in edge.verdict()
    assert edge.in_kernel("replay.trip is None", True) is True


def test_the_keyboard_goes_from_080_to_081_and_the_trip_vanishes(edge: Stage):
    edge.press(edge.similarity, "End", "ArrowDown")
    assert float(edge.similarity.get_attribute("aria-valuenow")) == 0.8
    assert edge.in_kernel("replay.trip and edge.replay.trip.round", 3) == 3
    edge.press(edge.similarity, "ArrowUp")
    assert float(edge.similarity.get_attribute("aria-valuenow")) == 0.81
    assert edge.in_kernel("replay.trip is None", True) is True
    assert edge.in_kernel("policy.similarity.numerator", 81) == 81


def test_the_machine_is_drawn_when_asked_for_and_its_path_follows_the_trip(
    incident: Stage, edge: Stage
):
    page, machine = incident.notebook.page, incident.root.locator(".al-machine")
    button = incident.root.get_by_role("button", name="state machine")
    assert machine.count() == 0  # closed, it costs nothing
    button.focus()
    page.keyboard.press("Space")
    machine.get_by_text("round 3", exact=False).first.wait_for(state="attached")
    incident.press(incident.threshold, "ArrowUp")
    machine.get_by_text("round 4", exact=False).first.wait_for(state="attached")
    incident.press(incident.threshold, "ArrowDown")
    machine.get_by_text("round 3", exact=False).first.wait_for(state="attached")
    button.click()
    page.wait_for_timeout(200)
    assert machine.is_hidden()
    edge.press(edge.similarity, "End")
    edge.root.get_by_role("button", name="state machine").click()
    edge.root.locator('.al-machine[data-state="running"]').wait_for()
    edge.root.get_by_role("button", name="state machine").click()


def test_python_moves_the_handles(incident: Stage):
    incident.notebook.ask("setattr(lens, 'policy', lens.policy.with_(threshold=3))")
    incident.notebook.page.wait_for_timeout(500)
    assert incident.threshold.get_attribute("aria-valuenow") == "3"
    assert "round 4" in incident.verdict()


def test_the_saved_notebook_holds_still_pictures(opened: NotebookPage):
    saved = opened.save()
    assert opened.path.stat().st_size < 300_000
    for cell in saved["cells"][1:]:
        (data,) = [o["data"] for o in cell["outputs"] if "data" in o]
        html = "".join(data["text/html"])
        assert "<svg" in html
        assert "<script" not in html
        assert "round 3" in html
        assert len("".join(data["text/plain"])) < 2_000


def test_without_a_kernel_dragging_still_moves_the_trip(incident: Stage):
    incident.notebook.server.stop_kernels()
    incident.notebook.page.wait_for_timeout(500)
    grip = incident.threshold
    incident.drag(grip, -3, lambda: grip.get_attribute("aria-valuenow") == "3")
    assert "round 4" in incident.verdict()
    incident.press(grip, "Home")
    assert "round 2" in incident.verdict()


def test_nothing_went_wrong_on_the_page(opened: NotebookPage):
    """Last: no dialog, no error, nothing asked of another host, in all of the above.

    Once the kernel is gone, ipywidgets itself says for a while that it cannot send.
    """
    assert opened.dialogs() == []
    assert [e for e in opened.errors if "Could not send widget sync message" not in e] == []
    assert opened.foreign == []
