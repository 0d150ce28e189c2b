"""A cosine's exact score is its square; what is read is the cosine, the same number everywhere."""

from __future__ import annotations

import json

import agentlens as al
from agentlens.cli import main
from agentlens.widgets.report.rounds import threads_of

QUERIES = ["天气", "今日天气晴雨"]  # 2 and 6 characters, 2 of them shared: 2 / sqrt(12)
RUN = [{"round": n, "tool": "search", "args": {"query": q}} for n, q in enumerate(QUERIES, 1)]


def test_the_same_in_page_text_and_terminal(tmp_path, capsys):
    made = al.replay(al.load(RUN), al.Policy.preset("classic", measure="cosine"))
    assert round(made.rounds["score"][1], 3) == 0.577
    (thread,) = threads_of(made, "en")
    assert "0.577" in thread["rounds"][1]["cells"]
    text = al.report(made, tmp_path / "report.md").read_text("utf-8")
    assert "| 0.577 |" in text
    assert "4/12" not in text
    log = tmp_path / "log.json"
    log.write_text(json.dumps(RUN))
    main(["replay", str(log), "--policy", "classic", "--measure", "cosine"])
    assert "0.577" in capsys.readouterr().out
