"""Every notebook runs from top to bottom, is saved without outputs, and stays small when run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
SMALL = 300_000  # bytes, run and saved


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_saved_without_outputs(path):
    notebook = json.loads(path.read_text("utf-8"))
    nbformat.validate(notebook)
    assert "widgets" not in notebook["metadata"]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert len(cell["source"]) <= 10  # short cells


@pytest.fixture(scope="module")
def run():
    """Return the executed story of the incident."""
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    return notebook


def outputs(notebook, kind):
    return [
        "".join(output["data"][kind])
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if kind in output.get("data", {})
    ]


def printed(notebook):
    return "".join(
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )


def test_it_tells_the_incident(run):
    assert NOTEBOOKS[0].name == "01_post_mortem.ipynb"
    said = printed(run)
    for threshold, round_, rounds, seconds in ((1, 2, 4, 28.7), (2, 3, 3, 21.5), (3, 4, 2, 14.3)):
        stopped = f"threshold {threshold}: stopped before round {round_}"
        assert f"{stopped}; saved {rounds} rounds, {seconds} s" in said
    assert "'jaccard'} trips in round None" in said
    assert "'whitespace'} trips in round None" in said
    assert "0.8 trips in round 3\n0.81 trips in round None" in said
    assert 'preset = "classic"' in said
    assert not [o for c in run.cells for o in c.get("outputs", ()) if o.get("name") == "stderr"]


def test_it_reads_where_no_code_runs(run):
    texts, pages = outputs(run, "text/plain"), outputs(run, "text/html")
    assert any(text.startswith("Would have stopped before round 3 of") for text in texts)
    assert any(text.startswith("Would have stopped before round 11 of 24") for text in texts)
    stills = [page for page in pages if "al-still" in page]
    assert len(stills) == 3
    assert "今日天气 晴雨" in stills[0]
    assert any("of 13 sessions would have been stopped" in page for page in pages)
    for page in stills:
        assert not re.search(r"<script|<iframe|\son\w+=|https?://(?!www\.w3\.org)", page)


def test_it_stays_small(run):
    saved = nbformat.from_dict(json.loads(json.dumps(run)))
    saved.metadata.pop("widgets", None)  # what JupyterLab saves unless told otherwise
    assert len(nbformat.writes(saved).encode()) < SMALL


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Return the executed story of the guard, run in a folder of its own."""
    notebook = nbformat.read(NOTEBOOKS[0].with_name("04_guard.ipynb"), as_version=4)
    folder = {"metadata": {"path": str(tmp_path_factory.mktemp("guard"))}}
    nbclient.NotebookClient(notebook, timeout=300, resources=folder).execute()
    return notebook


def test_the_guard_goes_from_shadow_to_enforcing(guarded):
    said = printed(guarded)
    assert "3 proceed | would stop |" in said
    assert "10 not ready: 0 of 10 good runs would have been stopped" in said
    assert "80 ready: 0 of 80 good runs" in said
    assert "stalled |" in said
    assert "\npartial\n" in said
    assert "还缺supplier" in said
    assert "steel running" in said
    assert "\ncompleted\n" in said
    assert "as it must be: True" in said
    assert any('data-state="partial"' in page for page in outputs(guarded, "text/html"))
    assert not [o for c in guarded.cells for o in c.get("outputs", ()) if o.get("name") == "stderr"]


def test_the_story_of_the_guard_stays_small(guarded):
    saved = nbformat.from_dict(json.loads(json.dumps(guarded)))
    saved.metadata.pop("widgets", None)
    assert len(nbformat.writes(saved).encode()) < SMALL
