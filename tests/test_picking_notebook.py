"""The notebook on picking thresholds runs, says what is so, and stays small."""

from __future__ import annotations

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "02_pick_thresholds.ipynb"


@pytest.fixture(scope="module")
def run():
    """Return the executed notebook."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600).execute()
    return notebook


def test_it_abstains_then_keeps_a_promise(run):
    printed = "".join(
        output["text"]
        for cell in run.cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )
    assert "even the most cautious settings stop 14 of 242 good runs" in printed
    assert "at most 5.0% of good runs are stopped, with 90% confidence" in printed
    assert "of the other half" in printed
    assert 'preset = "classic"' in printed
    assert "needs 45 good runs, has" in printed
    errors = [o for c in run.cells for o in c.get("outputs", ()) if o.get("name") == "stderr"]
    assert not errors


def test_it_reads_where_no_code_runs_and_stays_small(run):
    pages = [
        "".join(output["data"]["text/html"])
        for cell in run.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert any("would have stopped" in page and "al-still" in page for page in pages)
    saved = nbformat.from_dict(json.loads(json.dumps(run)))
    saved.metadata.pop("widgets", None)
    assert len(nbformat.writes(saved).encode()) < 300_000
