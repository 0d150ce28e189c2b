"""Whoever asks for it gets secrets as they stand, in every kind of report, and is told so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentlens as al
from agentlens.cli import main

SECRET = "ghp_" + "x9Y8" * 9
MAIL = "anna.smith@corp-mail.de"
QUERIES = [f"{MAIL} {SECRET}", f"{MAIL} {SECRET} now", f"{MAIL} {SECRET} again"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    lines = [
        {"round": n, "tool": "web_search", "args": {"query": query}, "result": f"of {MAIL}"}
        for n, query in enumerate(QUERIES, 1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def plain(text: str) -> str:
    """Return a text without the numbers that Mermaid and HTML write some characters by."""
    for number, letter in (("#64;", "@"), ("#46;", "."), ("#45;", "-"), ("#95;", "_")):
        text = text.replace(number, letter)
    return text


@pytest.mark.parametrize("name", ["r.html", "r.md", "all/"])
def test_a_report(name: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = f"{tmp_path}/{name}"
    for asked in ([], ["--no-redact"]):
        assert main(["report", str(log), "--policy", "classic", "-o", out, *asked]) == 0
        files = [*Path(out).rglob("*.html")] if name == "all/" else [Path(out)]
        texts = [plain(file.read_text("utf-8")) for file in files]
        assert len(texts) == (2 if name == "all/" else 1)
        for text in texts:
            assert (MAIL in text and SECRET in text) == bool(asked), name
            assert ("are not masked" in text or "home folders stand here" in text) == bool(asked)
        assert ("were kept as they are" in capsys.readouterr().err) == bool(asked)


def test_a_comparison(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, other = tmp_path / "c.html", tmp_path / "other.jsonl"
    other.write_text(log.read_text("utf-8").replace(" now", " tomorrow"), "utf-8")
    given = ["compare", str(log), str(other), "--policy", "classic", "-o", str(page)]
    for asked in ([], ["--no-redact"]):
        assert main([*given, *asked]) == 0
        printed = capsys.readouterr()
        assert (MAIL in printed.out) == bool(asked)
        assert (SECRET in page.read_text("utf-8")) == bool(asked)
        assert ("were kept as they are" in printed.err) == bool(asked)


def test_what_was_kept_once_is_masked_the_next_time(log: Path, tmp_path: Path) -> None:
    replay = al.replay(al.load(log), "classic")
    assert MAIL in al.report(replay, tmp_path / "a.html", redact=False).read_text("utf-8")
    assert MAIL not in al.report(replay, tmp_path / "b.html").read_text("utf-8")
    assert MAIL not in str(replay.trip.reason if replay.trip else "")
