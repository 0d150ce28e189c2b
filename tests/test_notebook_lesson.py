"""The lesson's notebook runs, and its nine scenes can be read where no code runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

from agentlens.figures.lesson.page import plain

PATH = Path(__file__).resolve().parents[1] / "notebooks" / "05_trigger_and_amplifier.ipynb"
SMALL = 150_000  # bytes, run and saved without widget state


@pytest.fixture(scope="module")
def run():
    """Return the notebook after it has run."""
    notebook = nbformat.read(PATH, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    return notebook


def stills(notebook):
    return [
        "".join(output["data"]["text/html"])
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]


def test_nine_scenes_in_order(run):
    found = stills(run)
    assert [plain(page)[:3] for page in found] == [f"{n} ·" for n in range(9)]
    for page in found:
        assert not re.search(r"<script|<iframe|\son\w+=|https?://(?!www\.w3\.org)", page)


def test_it_says_the_numbers(run):
    said = "".join(
        o["text"] for c in run.cells for o in c.get("outputs", ()) if o.get("name") == "stdout"
    )
    assert said.splitlines() == [
        "as it is      1.2 wasted rounds, worst 5, 15.8 s",
        "search fixed  0.4 wasted rounds, worst 5, 10.0 s",
        "breaker at 2  0.3 wasted rounds, worst 2, 9.3 s",
        "both          0.1 wasted rounds, worst 2, 7.9 s",
    ]
    assert not [o for c in run.cells for o in c.get("outputs", ()) if o.get("name") == "stderr"]


def test_it_stays_small(run):
    saved = nbformat.from_dict(json.loads(json.dumps(run)))
    saved.metadata.pop("widgets", None)
    assert len(nbformat.writes(saved).encode()) < SMALL
