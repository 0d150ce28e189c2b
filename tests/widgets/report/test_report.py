"""A report is one inert file: masked, escaped, allowed nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import agentlens as al
from agentlens.cli import main
from agentlens.widgets.report.page import report_html
from agentlens.widgets.report.rounds import threads_of

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
EVIL = "</script><script>alert(2)</script><img src=x onerror=alert(1)>"
SECRET = "ghp_" + "x9Y8" * 9


def trace(queries: list[str], **columns: object) -> al.Trace:
    return al.load(
        [
            {"round": n, "tool": "web_search", "args": {"query": q}, **columns}
            for n, q in enumerate(queries, 1)
        ]
    )


def data_of(page: str) -> dict[str, Any]:
    found = re.search(
        r'<script type="application/json" id="report">(.*?)</script>', page, re.DOTALL
    )
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_policy_of_the_page_allows_its_script_and_nothing_else() -> None:
    page = report_html(al.replay(trace(INCIDENT), "classic"))
    scripts = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}';" in page
    assert not re.search(r"\son\w+\s*=\s*[\"']", page.split("<script", 1)[0])
    assert "http-equiv" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)


def test_what_a_trace_says_is_text_and_has_no_secrets() -> None:
    hostile = trace([f"{EVIL} {q}" for q in INCIDENT], result=f"{EVIL} {SECRET}", thread=EVIL)
    page = report_html(al.replay(hostile, "classic"))
    assert EVIL not in page
    assert "<img" not in page
    assert SECRET not in page
    assert page.count("</script>") == 2
    assert "onerror=alert(1)" in str(data_of(page))  # it is there, to be read


def test_rounds_stand_in_a_table_with_their_counts() -> None:
    page = report_html(al.replay(trace(INCIDENT), "classic"), lang="zh")
    (thread,) = data_of(page)["threads"]
    cells = [r["cells"] for r in thread["rounds"]]
    assert [c[1] for c in cells] == INCIDENT
    assert [c[3] for c in cells] == ["0", "1", "2", "", ""]
    assert [r["ghost"] for r in thread["rounds"]] == [False, False, True, True, True]
    assert '<html lang="zh-CN">' in page


def test_every_thread_is_there() -> None:
    calls = [
        {"round": n, "tool": "web_search", "args": {"query": q}, "thread": name}
        for name in ("main", "helper")
        for n, q in enumerate(INCIDENT, 1)
    ]
    threads = data_of(report_html(al.replay(al.load(calls), "classic")))["threads"]
    assert {t["name"] for t in threads} == {"main", "helper"}


def many_threads(count: int) -> al.Replay:
    calls = [
        {"round": 1, "tool": "web_search", "args": {"query": "rain"}, "thread": f"helper {n}"}
        for n in range(count)
    ]
    return al.replay(al.load(calls), "classic")


def test_of_many_threads_each_can_be_chosen_and_the_words_are_there_once() -> None:
    page = report_html(many_threads(60))
    threads = data_of(page)["threads"]
    assert {t["name"] for t in threads} == {f"helper {n}" for n in range(60)}
    assert page.count("<option ") == 60
    assert "not shown" not in page
    assert [n for n, one in enumerate(threads) if "words" in one["payload"]] == [0]


@pytest.mark.parametrize(
    ("most", "lang", "said"),
    [(5, "en", "2 more threads not shown"), (6, "en", "1 more thread not shown"),
     (5, "zh", "另有 2 个线程未显示")],
)  # fmt: skip
def test_threads_that_are_left_out_are_counted(
    monkeypatch: pytest.MonkeyPatch, most: int, lang: str, said: str
) -> None:
    monkeypatch.setattr("agentlens.widgets.report.rounds._MOST_THREADS", most)
    page = report_html(many_threads(7), lang=lang)
    assert page.count("<option ") == most
    assert f"<span>{said}</span>" in page


def test_a_round_of_a_long_run_is_about_a_kilobyte(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `threads_of` promises of 50,000 rounds: each as short as there, but fewer of them."""
    monkeypatch.setattr("agentlens.widgets.report.rounds._BUDGET", 1)
    some = trace([f"weather in town number {n}" for n in range(200)], result="word " * 400)
    threads = threads_of(al.replay(some, "classic"), "en")
    assert 400 < sum(len(one["html"]) for one in threads[0]["rounds"]) / 200 < 1_300


def test_long_results_are_shortened_the_more_the_longer_the_run() -> None:
    long = trace([f"query {n}" for n in range(500)], result="word " * 4000)
    page = report_html(al.replay(long, "classic"))
    assert len(page) < 5_000_000  # the results alone are 10 MB


def test_report_takes_a_trace_a_replay_or_a_path(tmp_path: Path) -> None:
    made = al.replay(trace(INCIDENT), al.Policy.preset("classic", threshold=3))
    path = al.report(made, tmp_path / "a.html")
    assert "round 4" in path.read_text("utf-8")
    again = al.report(trace(INCIDENT), str(tmp_path / "b.html"), "classic")
    assert "round 3" in again.read_text("utf-8")


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(al.TraceError, match=r"cannot be written"):
        al.report(trace(INCIDENT), tmp_path / "no" / "such" / "r.html", "classic")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "t.jsonl"
    log.write_text(
        "".join(
            json.dumps({"round": n, "tool": "web_search", "args": {"query": q}}) + "\n"
            for n, q in enumerate(INCIDENT, 1)
        ),
        "utf-8",
    )
    out = tmp_path / "r.html"
    assert main(["report", str(log), "-o", str(out), "--policy", "classic"]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    assert "Would have stopped" in out.read_text("utf-8")


def test_it_says_how_many_secrets_of_each_kind_are_masked():
    trace = al.load([
        {"round": 1, "tool": "run", "args": {"command": "login hunter2xyz9"}, "result": "ok"},
        {"round": 2, "tool": "run", "args": {"command": "env"},
         "result": "password=hunter2xyz9\nmail ana@example.com, ana@example.com"},
    ])  # fmt: skip
    page = report_html(al.replay(trace))
    assert "<dd>1 value of a secret setting, 1 e-mail address</dd>" in page
    assert "hunter2xyz9" not in page  # nor in the round before the one that tells what it is
    assert "ana@example" not in page
