"""Reports of many runs: a folder that can be moved, worst first, nothing lost in silence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

import agentlens as al
from agentlens.cli import main

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
SECRET = "ghp_" + "x9Y8" * 9


def write(path: Path, queries: list[str]) -> Path:
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": q}} for n, q in enumerate(queries, 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    write(folder / "a good.jsonl", ["rain", "bread", "chess"])
    write(folder / "b <b>loop.jsonl", INCIDENT + ["天气 现在"] * 3)
    write(folder / "c..jsonl", INCIDENT)
    write(folder / f"{SECRET}.jsonl", ["rain"])
    (folder / "d.jsonl").write_text('{"what": 1}\n', "utf-8")
    return folder


def rows_of(page: str) -> list[tuple[str, str]]:
    """Return the file and the text of each link, in order."""
    return re.findall(r'<a href="([^"]*)">([^<]*)</a>', page)


def test_worst_first_with_links_that_lead_to_pages(logs: Path, tmp_path: Path) -> None:
    index = al.report(logs, tmp_path / "out" / "deep", "classic")
    assert index == tmp_path / "out" / "deep" / "index.html"
    page = index.read_text("utf-8")
    links = rows_of(page)
    assert [text for _, text in links][:2] == ["b &lt;b&gt;loop.jsonl", "c..jsonl"]
    assert "2 of 4 runs would have been stopped; saved: 9 rounds" in page
    for file, _ in links:
        assert "/" not in file
        assert ".." not in file
        report = (index.parent / unquote(file)).read_text("utf-8")
        assert '<a href="index.html">All runs</a>' in report
    assert sorted(p.name for p in index.parent.iterdir()) == sorted(
        ["index.html", *(unquote(file) for file, _ in links)]
    )


def test_what_cannot_be_read_is_listed_and_secrets_are_masked(logs: Path, tmp_path: Path) -> None:
    page = al.report(str(logs), f"{tmp_path}/out/", "classic").read_text("utf-8")
    assert "Not readable: 1" in page
    assert "d.jsonl" in page
    assert SECRET not in page
    assert not [p for p in (tmp_path / "out").iterdir() if SECRET[4:].lower() in p.name.lower()]
    assert "default-src 'none'; style-src" in page
    assert "<script" not in page


def test_a_list_of_traces_replays_and_paths(tmp_path: Path) -> None:
    trace = al.load(write(tmp_path / "x.jsonl", INCIDENT))
    made = al.replay(trace, al.Policy.preset("classic", threshold=3))
    index = al.report([trace, made, str(tmp_path / "x.jsonl")], tmp_path / "out", lang="zh")
    links = rows_of(index.read_text("utf-8"))
    assert len({file for file, _ in links}) == 3
    assert "3 次运行，最糟的在前" in index.read_text("utf-8")
    assert "before round 4" not in index.read_text("utf-8")


def test_one_file_of_many_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"name": n, "trace": [{"round": 1, "tool": "web_search", "args": {"query": n}}]}
        for n in ("one", "two")
    ]
    log = tmp_path / "many.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    try:
        count = al.load_many(log).count()
    except al.TraceError:
        pytest.fail("the plain format holds many")
    assert main(["report", str(log), "-o", f"{tmp_path}/out/"]) == 0
    index = Path(capsys.readouterr().out.strip())
    assert len(rows_of(index.read_text("utf-8"))) == count == 2


def test_command(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(logs), "--policy", "classic"]) == 1  # one cannot be read
    assert capsys.readouterr().out.strip() == str(Path("reports") / "index.html")
    two = [str(logs / "a good.jsonl"), str(logs / "c..jsonl")]
    assert main(["report", *two, "-o", "pair"]) == 0
    assert len(rows_of((tmp_path / "pair" / "index.html").read_text("utf-8"))) == 2
    capsys.readouterr()
    assert main(["report", *two, "-o", "pair.html"]) == 2
    assert "several runs need a folder" in capsys.readouterr().err
    assert main(["report", two[1], "--md", "--policy", "classic"]) == 0
    assert "```mermaid" in capsys.readouterr().out


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(al.TraceError, match="cannot be made"):
        al.report(al.load([{"round": 1, "tool": "ls"}]), f"{tmp_path}/file/below/")
