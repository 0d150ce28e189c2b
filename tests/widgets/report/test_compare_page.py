"""The page of a comparison, and what the command prints: every call, where it differs, inert."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import agentlens as al
from agentlens.cli import main
from agentlens.widgets.report.compare_page import compare_html
from agentlens.widgets.report.compare_text import folded

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
EVIL = "</script><img src=x onerror=alert(1)>"
SECRET = "ghp_" + "x9Y8" * 9


def rows(queries: list[str]) -> list[dict[str, Any]]:
    return [
        {"round": n, "tool": "web_search", "args": {"query": q}} for n, q in enumerate(queries, 1)
    ]


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="compared">(.*?)</script>', page)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_every_call_is_in_the_page_and_inert(tmp_path: Path) -> None:
    one = al.load(rows([f"{EVIL} {SECRET} {q}" for q in INCIDENT]))
    other = al.load(rows([f"{EVIL} {SECRET} {q}" for q in INCIDENT[1:]]))
    path = al.report(al.compare(one, other, "classic"), tmp_path / "c.html")
    page = path.read_text("utf-8")
    assert "<img" not in page
    assert SECRET not in page
    assert page.count("</script>") == 2
    kinds = [row[-2] for row in data_of(page)["rows"]]
    assert kinds == ["a", "both", "both", "both", "both"]
    assert "Calls in both: 4; only in A: 1; only in B: 0." in page


def test_chinese() -> None:
    made = al.compare(al.load(rows(INCIDENT)), policy="classic", other="openhands")
    page = compare_html(made, lang="zh")
    assert '<html lang="zh-CN">' in page
    assert "同一次运行，两个策略" in page
    assert data_of(page)["rows"][2][6] == "停滞"


def test_equal_stretches_are_folded() -> None:
    flags = [False] * 10 + [True] + [False] * 10
    assert folded(flags, 50) == [-8, 8, 9, 10, 11, 12, -8]
    assert folded([False] * 3, 50) == [-3]
    assert folded([True] * 5, 3) == [0, 1, 2, -2]
    assert folded([], 3) == []


def test_other_kinds_of_file_are_refused(tmp_path: Path) -> None:
    made = al.compare(al.load(rows(INCIDENT)), policy="classic", other="openhands")
    with pytest.raises(al.TraceError, match=r"a comparison is written as \.html"):
        al.report(made, tmp_path / "c.md")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(json.dumps(rows(INCIDENT)), "utf-8")
    other.write_text(json.dumps(rows([*INCIDENT[:2], "bread"])), "utf-8")
    page = tmp_path / "c.html"
    assert main(["compare", str(one), str(other), "--policy", "classic", "-o", str(page)]) == 0
    out = capsys.readouterr().out
    assert "A: one.json, classic" in out
    assert "Calls in both: 2; only in A: 3; only in B: 1." in out
    assert out.rstrip().endswith(str(page))
    assert main(["compare", str(one), "--policy", "classic", "--against", "openhands"]) == 0
    assert "One run under two policies" in capsys.readouterr().out
    assert main(["compare", str(one)]) == 2
    assert "two runs, or one and --against" in capsys.readouterr().err
