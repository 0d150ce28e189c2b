"""`al.scan`: a table everywhere, a list to click in a notebook, the Lens on what was clicked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentlens as al
from agentlens.thresholds.scan import Row
from agentlens.widgets.scan.scan import Scan
from agentlens.widgets.scan.table import MOST, headline

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
SECRET = "sk-ant-api03-" + "Q4x7mK2p" * 11 + "-AAAAAA"


def write(path: Path, queries, tool="web_search", **more):
    rows = [
        {"round": n, "tool": tool, "args": {"query": q}, "seconds": 7.175, **more}
        for n, q in enumerate(queries, 1)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "logs" / "incident.jsonl", INCIDENT)
    write(tmp_path / "logs" / "deep" / "long.jsonl", ["北京"] * 9)
    write(tmp_path / "logs" / "healthy.jsonl", ["能源补贴政策", "北京天气"])
    (tmp_path / "logs" / "bad.jsonl").write_text("", "utf-8")
    return tmp_path / "logs"


@pytest.fixture
def found(folder):
    made = al.scan(folder, "classic")
    yield made
    made.close()


def test_frame(found):
    frame = found.to_frame()
    assert [Path(s).name for s in frame["source"]] == [
        "long.jsonl", "incident.jsonl", "healthy.jsonl", "bad.jsonl",
    ]  # fmt: skip
    assert list(frame["saved_rounds"]) == [7, 3, 0, 0]
    assert frame["trip_round"].dtype == "Int64"
    assert list(frame["trip_round"][:2]) == [3, 3]
    assert len(found) == 4


def test_tables_without_a_kernel(found):
    bundle = found._repr_mimebundle_()
    said = "2 of 3 sessions would have been stopped; saved: 10 rounds, 1.2 min. Not readable: 1."
    assert (
        bundle["text/plain"].splitlines()[0].startswith("2 of 3 sessions would have been stopped")
    )
    assert said.split(";", maxsplit=1)[0] in bundle["text/html"]
    assert bundle["text/html"].count("<tr>") == 5
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_a_click_opens_the_lens_on_it(found):
    assert found.lens is None
    found.list.selected = 1  # the browser's message
    assert found.lens.trace.name == "incident.jsonl"
    assert found.lens.replay.trip.round == 3
    assert found.children[-1] is found.lens
    first = found.lens
    found.list.selected = 0
    assert found.lens is not first
    assert len(found.children) == 4


def test_the_lens_opens_with_the_policy_of_the_scan(folder):
    found = al.scan(folder, al.Policy.preset("classic", threshold=3))
    assert found.show(1).policy.threshold == 3
    assert found.list.selected == 1
    found.close()


def test_tools_are_known_to_the_lens_too(tmp_path):
    write(tmp_path / "a.jsonl", INCIDENT, tool="oracle")
    found = al.scan(tmp_path, "classic", tools={"oracle": "search"})
    assert found.rows[0].trip_round == 3
    assert found.show(0).replay.trip.round == 3
    found.close()


def test_what_cannot_be_opened_says_so_in_one_line(found):
    found.list.selected = 1
    found.list.selected = 3
    assert "bad.jsonl" in found.message.value
    assert found.lens.trace.name == "incident.jsonl"  # the old one stays
    found.list.selected = 0
    assert found.message.value == ""
    found.list.selected = 99
    with pytest.raises(IndexError):
        found.show(99)


def test_a_session_in_a_file_of_many(tmp_path, shared):
    many = json.loads((shared / "data" / "golden_traces.json").read_text("utf-8"))
    assert many
    runs = [
        [
            {"role": "user", "content": f"q{k}"},
            *(
                message
                for n, q in enumerate(INCIDENT[: k + 2])
                for message in (
                    {"role": "assistant", "content": None, "tool_calls": [
                        {"id": f"c{n}", "type": "function",
                         "function": {"name": "web_search", "arguments": json.dumps({"query": q})}}
                    ]},
                    {"role": "tool", "tool_call_id": f"c{n}", "content": "nothing"},
                )
            ),
        ]
        for k in range(3)
    ]  # fmt: skip
    (tmp_path / "many.jsonl").write_text(
        "".join(json.dumps({"messages": run}) + "\n" for run in runs), "utf-8"
    )
    found = al.scan(tmp_path / "many.jsonl", "classic")
    assert len(found) == 3
    assert [row.rounds for row in found.rows] == [4, 3, 2]
    assert [len(found.show(k).trace) for k in range(3)] == [4, 3, 2]
    found.close()


def test_hostile_text_and_secrets(tmp_path):
    write(tmp_path / "a.jsonl", [f"{HOSTILE} {SECRET}"] * 4, thread=HOSTILE)
    found = al.scan(tmp_path, "classic")
    bundle = found._repr_mimebundle_()
    assert "<img" not in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    state = json.dumps([bundle["text/html"], bundle["text/plain"], found.list.get_state(["rows"])])
    assert "Q4x7mK2p" not in state
    found.close()


def test_ten_thousand_rows_stay_small_in_a_saved_notebook():
    rows = [Row(f"/logs/{n}.jsonl", "plain", 1, 50, 60, 9, 3, reason="because " * 12, trips=1)
            for n in range(10_000)]  # fmt: skip
    found = Scan(rows)
    bundle = found._repr_mimebundle_()
    assert len(bundle["text/html"]) + len(bundle["text/plain"]) < 150_000
    assert bundle["text/html"].count("<tr>") == MOST + 1
    assert f"{10_000 - MOST} sessions more" in bundle["text/html"]
    assert len(found.list.rows) == 10_000
    found.close()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [(3, 21.5, 5), (2, None, 4), (0, None, 1)],
            "2 of 3 sessions would have been stopped; saved: 5 rounds, "
            "21.5 s in the 1 session with times.",
        ),
        (
            [(3, 21.5, 5), (1, 8.5, 5), (1, None, 5)],
            "3 of 3 sessions would have been stopped; saved: 5 rounds, "
            "30.0 s in the 2 sessions with times.",
        ),
        ([(3, 21.5, 5)], "1 of 1 session would have been stopped; saved: 3 rounds, 21.5 s."),
        ([(3, 0.0, 5)], "1 of 1 session would have been stopped; saved: 3 rounds."),
        (
            [(0, None, 0), (0, None, 0), (0, None, 2)],
            "0 of 3 sessions would have been stopped. No recognised search in 2.",
        ),
    ],
)
def test_the_headline_says_what_it_adds_up(rows, said):
    made = [
        Row(f"{n}", saved_rounds=saved, trips=int(saved > 0), saved_seconds=time, searches=searches)
        for n, (saved, time, searches) in enumerate(rows)
    ]
    assert headline(made) == said
