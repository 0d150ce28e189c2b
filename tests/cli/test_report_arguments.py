"""Arguments of `report`, `compare` and `loopset` that name nothing, and readers who leave early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import agentlens as al
from agentlens.cli import main

INCIDENT = str(Path(__file__).resolve().parents[2] / "sample_traces" / "incident.jsonl")


def test_runs_that_are_not_there_are_named_and_no_success(tmp_path, capsys):
    assert main(["report", "no1", "no2", "-o", f"{tmp_path}/d/"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].strip() for line in said] == ["no1", "no2"]


def test_the_readable_of_several_runs_are_written_and_the_others_named(tmp_path, capsys):
    assert main(["report", INCIDENT, "no2", "-o", f"{tmp_path}/d/"]) == 1
    assert "no2" in capsys.readouterr().err
    assert [path.name for path in sorted((tmp_path / "d").iterdir())] == [
        "001-incident-jsonl.html",
        "index.html",
    ]


@pytest.mark.parametrize("command", ["report", "replay", "scan", "show"])
def test_an_empty_name_is_no_folder(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([command, ""]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_ending_alone_is_no_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", INCIDENT, "-o", ".html"]) == 2
    assert "a name is missing" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_nothing_to_report_leaves_no_folder(tmp_path):
    with pytest.raises(al.TraceError, match="no run"):
        al.report([], tmp_path / "d")
    assert not (tmp_path / "d").exists()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_a_dash_is_standard_output():
    done = subprocess.run(
        [sys.executable, "-m", "agentlens.cli", "report", INCIDENT, "-o", "-"],
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"<!doctype html>")
    assert done.stdout.rstrip().endswith(b"</html>")


def test_a_comparison_is_written_though_its_reader_leaves(tmp_path):
    page = tmp_path / "c.html"
    command = [sys.executable, "-m", "agentlens.cli", "compare", INCIDENT, INCIDENT, "-o", page]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        process.wait()
    assert page.read_text("utf-8").rstrip().endswith("</html>")


def test_a_guard_that_fails_is_one_line(capsys):
    assert main(["loopset", "--guard", "os:getcwd"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--guard os:getcwd: TypeError" in said


@pytest.mark.parametrize("write", [al.write_plain, al.write_atif, al.write_parquet])
def test_only_a_trace_is_written(write, tmp_path):
    with pytest.raises(TypeError, match="takes a Trace, not NoneType"):
        write(None, tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_a_language_that_nothing_speaks_is_named(tmp_path):
    trace = al.load(INCIDENT)
    for name in ("a.html", "a.md"):
        with pytest.raises(al.PolicyError, match="'de' is none of en, zh"):
            al.report(trace, tmp_path / name, lang="de")
    with pytest.raises(al.PolicyError, match="'de' is none of en, zh"):
        al.compare(trace, trace).text("de")
    assert not list(tmp_path.iterdir())


def test_one_is_not_several(capsys):
    trace = al.load([{"round": 1, "tool": "run", "args": {}}])
    assert "1 call in 1 round, 1 thread" in repr(trace)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("compare {log} {log} -o -", "name a file for the page"),
        ("sweep {log} -o -", "name a file"),
        ("sweep {log} -o .csv", "a name is missing"),
        ("loopset --guard .:x", "--guard .:x: "),
        ("loopset --guard broken:x", "--guard broken:x: "),
    ],
)
def test_what_cannot_be_written_or_imported_is_one_line(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("raise ValueError('not today')\n")
    al.write_plain(al.load([{"round": 1, "tool": "ls"}]), "log.jsonl")
    before = sorted(tmp_path.iterdir())
    assert main(words.format(log="log.jsonl").split()) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert [one for one in sorted(tmp_path.iterdir()) if one.name != "__pycache__"] == before


@pytest.mark.parametrize(
    "command", ["report", "convert --to plain", "sweep", "compare --against x"]
)
def test_an_empty_name_of_what_is_written_is_one_line(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "log.jsonl", "-o", ""]) == 2
    assert capsys.readouterr().err == "agentlens: -o: the name of the file is empty\n"


@pytest.mark.parametrize("words", ["convert LOG --to plain -o -", "report LOG --md -o -"])
def test_a_dash_is_as_without_it(words, tmp_path):
    log = tmp_path / "log.jsonl"
    al.write_plain(al.load([{"round": 1, "tool": "ls"}]), log)
    asked = [str(log) if word == "LOG" else word for word in words.split()]
    outs = []
    for given in (asked, asked[:-2]):
        command = [sys.executable, "-m", "agentlens.cli", *given]
        outs.append(subprocess.run(command, capture_output=True, check=True, cwd=tmp_path).stdout)
    assert outs[0] == outs[1] != b""
    assert not (tmp_path / "-").exists()
