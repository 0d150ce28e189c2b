"""The notebook on rules runs, says what is so, and stays small."""

from __future__ import annotations

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "03_rules.ipynb"


@pytest.fixture(scope="module")
def run():
    """Return the executed notebook."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    return notebook


def outputs(run, kind):
    return [
        "".join(output["data"][kind])
        for cell in run.cells
        for output in cell.get("outputs", ())
        if kind in output.get("data", {})
    ]


def test_r25_it_says_what_each_rule_cannot_see(run):
    told = " ".join(outputs(run, "text/html"))
    assert "repeats with anything else in between" in told
    assert "a repeat that the model thinks about otherwise" in told
    assert "a model&#x27;s judgement" in told or "a model's judgement" in told


def test_it_tells_facts_from_what_is_not(run):
    printed = "".join(
        output["text"]
        for cell in run.cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )
    assert "roo-code: repetition would have counted 4 in round 11, not 1" in printed
    assert "the arguments came in another order" in printed
    assert "StepLimit(limit=None, runs=0, needed=19" in printed
    assert "round 14: same call of web_fetch, 4 times in a row" in printed  # Roo Code
    assert "round 11: same call of web_fetch, 4 times in a row" in printed  # thinking passed over
    assert not [o for c in run.cells for o in c.get("outputs", ()) if o.get("name") == "stderr"]


def test_it_stays_small_and_runs_nothing(run):
    saved = nbformat.from_dict(json.loads(json.dumps(run)))
    saved.metadata.pop("widgets", None)
    assert len(nbformat.writes(saved).encode()) < 300_000
    (lanes,) = (page for page in outputs(run, "text/html") if 'class="al-lanes"' in page)
    assert "<script" not in lanes
    assert "ignored for 2 rounds" in lanes
