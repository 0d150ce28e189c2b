"""A secret that only a later call tells is masked in all that is shown, in whatever order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentlens as al
from agentlens.cli import main

SECRET = "LateKnownXyz99"
RUN = [
    *(
        {
            "round": n,
            "tool": "web_search",
            "args": {"query": f"login {SECRET} forum"},
            "result": "x",
        }
        for n in (1, 2, 3, 4)
    ),
    {"round": 5, "tool": "bash", "args": {"command": f"export DB_PASSWORD={SECRET}"}, "result": ""},
]
#: The same told by what stands before it in a header.
HEADER = [*RUN[:4], {**RUN[4], "args": {"command": f"curl -H 'Authorization: Bearer {SECRET}'"}}]


def key(letter: str) -> str:
    return "sk-proj-" + "".join(f"{letter * 4}{n}" for n in range(1, 6))


@pytest.mark.parametrize("run", [RUN, HEADER], ids=["setting", "header"])
def test_a_report_is_the_same_whatever_was_shown_before(tmp_path: Path, run):
    trace = al.load(run)
    al.Lens(trace, "classic")
    str(al.replay(trace, "classic").trip.reason)
    for name in ("r.md", "r.html"):
        text = al.report(trace, tmp_path / name, "classic").read_text("utf-8")
        assert SECRET not in text, name
        assert text == al.report(al.load(run), tmp_path / name, "classic").read_text("utf-8")


def test_it_is_in_no_still_no_state_and_no_comparison(tmp_path: Path):
    trace = al.load(RUN)
    lens = al.Lens(trace, "classic")
    made = al.compare(al.load(RUN), policy="classic", other="layered")
    shown = [
        json.dumps(lens.stage.get_state(), default=str), str(lens._repr_mimebundle_()), str(made),
        made._repr_html_(), al.report(made, tmp_path / "c.html").read_text("utf-8"),
    ]  # fmt: skip
    assert [SECRET in text for text in shown] == [False] * 5


@pytest.mark.parametrize(
    "words",
    [
        "replay late.jsonl --policy classic", "replay late.jsonl --json", "show late.jsonl",
        "scan .", "scan . --json", "report late.jsonl --md", "compare late.jsonl late.jsonl",
        "compare late.jsonl --policy classic --against layered",
    ],
)  # fmt: skip
def test_no_command_prints_it(tmp_path: Path, monkeypatch, capsys, words: str):
    monkeypatch.chdir(tmp_path)
    Path("late.jsonl").write_text("".join(json.dumps(row) + "\n" for row in RUN))
    assert main(words.split()) == 0
    said = capsys.readouterr()
    assert said.out
    assert SECRET not in said.out + said.err


def test_a_thread_that_holds_one_is_masked_in_the_pages_data(tmp_path: Path):
    run = [{**row, "thread": f"scout {key('T')}"} for row in RUN]
    assert key("T") not in al.report(al.load(run), tmp_path / "t.html").read_text("utf-8")


def test_different_secrets_have_different_names_in_a_table_and_in_two_runs(tmp_path, capsys):
    one, other = (
        [{"round": 1, "tool": "web_search", "args": {"query": f"who leaked {key(c)}"}}]
        for c in "AB"
    )
    (tmp_path / "two.json").write_text(json.dumps([*one, {**other[0], "round": 2}]))
    main(["replay", str(tmp_path / "two.json")])
    said = capsys.readouterr().out
    assert "who leaked <api-key:1>" in said
    assert "who leaked <api-key:2>" in said
    made = al.compare(al.load(one), al.load(other))
    page = al.report(made, tmp_path / "c.html").read_text("utf-8")
    for text in (str(made), page):
        assert "<api-key:1>" in text.replace("&lt;", "<").replace("&gt;", ">")
        assert "<api-key:2>" in text.replace("&lt;", "<").replace("&gt;", ">")
