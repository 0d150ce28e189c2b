"""Nothing that is read is written over, and what cannot be written is said before anything is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import agentlens as al
from agentlens.cli import main
from agentlens.errors import TraceError

RUN = [
    {"round": n, "tool": "web_search", "args": {"query": q}}
    for n, q in enumerate(("rain", "rain today"), 1)
]


@pytest.fixture
def log(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log"
    path.write_text("".join(json.dumps(row) + "\n" for row in RUN))
    return path


@pytest.mark.parametrize(
    "words",
    ["report log -o log", "report log -o LICENSE", "convert log --to plain -o log",
     "convert log --to atif -o ./log", "convert log --to plain -o link"],
)  # fmt: skip
def test_a_file_without_an_ending_and_the_log_itself_stay(log: Path, capsys, words: str):
    Path("LICENSE").write_text("mine")
    Path("link").symlink_to(log)
    before = log.read_bytes()
    assert main(words.split()) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert log.read_bytes() == before
    assert Path("LICENSE").read_text() == "mine"


@pytest.mark.parametrize("name", ["other", "folder/", "c.md", "c.txt"])
def test_a_comparison_is_a_page_and_leaves_no_empty_folder(log: Path, name: str):
    made = al.compare(al.load(RUN), policy="classic", other="layered")
    before = sorted(Path().iterdir())
    with pytest.raises(TraceError, match=r"written as \.html"):
        al.report(made, name)
    assert sorted(Path().iterdir()) == before


def test_a_page_goes_to_a_stream(log: Path):
    command = [sys.executable, "-m", "agentlens.cli", "report", "log", "-o", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.rstrip().endswith("</html>")


def test_a_run_whose_only_thread_has_another_name_and_no_rounds_is_a_page(shared: Path, tmp_path):
    """Parts of real Claude Code sessions: one line of a sub-agent, no round in it."""
    folder = shared / "data" / "traces" / "claude_code"
    files = sorted(folder.glob("records_tools_*")) + sorted(folder.glob("records_user_*"))
    assert files
    for path in files:
        text = al.report(al.load(path), tmp_path / "r.html").read_text("utf-8")
        assert "<!doctype html>" in text
