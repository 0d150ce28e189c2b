"""A picture of a run, drawn by kaleido with the installed Chromium."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import agentlens as al
from agentlens.widgets.report.picture import overview
from benchmarks.lab import chromium_path

INCIDENT = ["天气", "今日天气 气温", "今日天气 $x$ <b>晴雨</b>", "今日天气 预报", "天气 实时"]


def run() -> al.Replay:
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": q}}
        for n, q in enumerate(INCIDENT, 1)
    ]  # fmt: skip
    return al.replay(al.load(rows), "classic")


def test_one_figure_holds_graph_and_timeline() -> None:
    figure = overview(run())
    below = [figure.layout[name].domain for name in ("yaxis3", "yaxis2", "yaxis", "yaxis4")]
    ends = [end for domain in below for end in domain]
    assert ends == sorted(ends)
    assert "before round 3 of 5" in figure.layout.title.text
    assert {trace.yaxis or "y" for trace in figure.data} == {"y", "y2", "y3", "y4"}


def test_without_kaleido_one_line_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(al.TraceError, match=r"pip install 'agentlens-jupyter\[kaleido\]'"):
        al.report(run(), tmp_path / "x.png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.browser
def test_svg_holds_the_text_as_text(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", str(chromium_path()))
    picture = al.report(run(), tmp_path / "x.svg").read_text("utf-8")
    assert picture.startswith("<svg")
    assert "stops here" in picture
    assert "<b>晴雨" not in picture
    assert "<script" not in picture
