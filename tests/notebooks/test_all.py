"""What holds of every notebook before it is run; and that each one is run."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.story import NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_saved_without_outputs(path: Path):
    notebook = json.loads(path.read_text("utf-8"))
    nbformat.validate(notebook)
    assert "widgets" not in notebook["metadata"]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert len(cell["source"]) <= 10  # short cells


def test_every_notebook_is_run_by_tests_of_its_name():
    told = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert told - {"all"} == {path.stem for path in NOTEBOOKS}
