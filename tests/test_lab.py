"""`agentlens lab`: the notebook that it writes, and the command that it starts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from agentlens import lab
from agentlens.errors import TraceError


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "my run's log.v2.jsonl"
    rows = [{"round": n, "tool": "web_search", "args": {"query": "北京天气"}} for n in (1, 2, 3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def sources(notebook: Path) -> str:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def test_notebook_is_valid_and_names_the_trace(trace, tmp_path):
    import nbformat

    made = lab.notebook_for(str(trace), tmp_path / "books")
    assert made == tmp_path / "books" / "my run's log.ipynb"
    notebook = nbformat.read(made, as_version=4)
    nbformat.validate(notebook)
    assert repr(str(trace)) in sources(made)
    assert all(not cell.get("outputs") for cell in notebook.cells)


def test_notebook_runs(trace, tmp_path):
    import nbclient
    import nbformat

    made = lab.notebook_for(str(trace), tmp_path)
    notebook = nbformat.read(made, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120).execute()
    shown = json.dumps([c.get("outputs") for c in notebook.cells], ensure_ascii=False)
    assert "Would have stopped before round 3 of 3" in shown


def test_a_changed_notebook_is_never_overwritten(trace, tmp_path):
    first = lab.notebook_for(str(trace), tmp_path)
    assert lab.notebook_for(str(trace), tmp_path) == first  # the same cells: opened again
    book = json.loads(first.read_text("utf-8"))
    book["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "ran"}]
    first.write_text(json.dumps(book), "utf-8")
    assert lab.notebook_for(str(trace), tmp_path) == first  # outputs alone are no change of cells
    assert "ran" in first.read_text("utf-8")
    book["cells"][1]["source"] = ["mine = 1"]
    first.write_text(json.dumps(book), "utf-8")
    second = lab.notebook_for(str(trace), tmp_path)
    assert second.name == "my run's log-2.ipynb"
    assert "mine = 1" in first.read_text("utf-8")
    second.write_text("{not a notebook", "utf-8")
    assert lab.notebook_for(str(trace), tmp_path).name == "my run's log-3.ipynb"


def test_two_traces_of_one_name_get_two_notebooks(trace, tmp_path):
    other = tmp_path / "other" / trace.name
    other.parent.mkdir()
    other.write_bytes(trace.read_bytes())
    first = lab.notebook_for(str(trace), tmp_path)
    second = lab.notebook_for(str(other), tmp_path)
    assert first != second
    assert lab.notebook_for(str(trace), tmp_path) == first


def test_a_folder_gets_a_scan(trace, tmp_path):
    made = lab.notebook_for(str(trace.parent), tmp_path / "books")
    assert "al.scan(" in sources(made)


def test_without_a_trace_the_story(tmp_path):
    made = lab.notebook_for(None, tmp_path)
    assert made.name == "01_post_mortem.ipynb"
    assert "incident" in sources(made)


def test_bad_traces_write_nothing(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("", "utf-8")
    for source in (str(bad), str(tmp_path / "nowhere.jsonl")):
        with pytest.raises(TraceError):
            lab.notebook_for(source, tmp_path / "books")
    assert not (tmp_path / "books").exists()


def test_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/elsewhere")
    book = tmp_path / "books" / "a b.ipynb"
    command, environment = lab.lab_command(book, port=8899, browser=False, extra=["--debug"])
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={tmp_path}" in command
    assert "--LabApp.default_url=/lab/tree/books/a%20b.ipynb" in command
    assert command[-3:] == ["--port=8899", "--no-browser", "--debug"]
    assert environment["JUPYTER_CONFIG_PATH"].endswith("_jupyter:/elsewhere")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "--allow-root" in lab.lab_command(book, port=None, browser=True, extra=[])[0]
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "--allow-root" not in lab.lab_command(book, port=None, browser=True, extra=[])[0]


def test_shipped_config():
    page = json.loads((lab.CONFIG / "labconfig" / "page_config.json").read_text("utf-8"))
    assert page["disabledExtensions"] == {"@jupyterlab/apputils-extension:announcements": True}
    server = json.loads(
        (lab.CONFIG / "jupyter_server_config.d" / "agentlens.json").read_text("utf-8")
    )
    assert server["ServerApp"]["jpserver_extensions"] == {"agentlens.server": True}


def test_data_is_found_in_a_wheel_too(tmp_path, monkeypatch):
    (tmp_path / "_data" / "notebooks").mkdir(parents=True)
    monkeypatch.setattr(lab, "_PACKAGE", tmp_path)
    assert lab.data_folder("notebooks") == tmp_path / "_data" / "notebooks"
    with pytest.raises(FileNotFoundError):
        lab.data_folder("sample_traces")
