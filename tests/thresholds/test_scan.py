"""One row a session, worst first; damaged files are rows; many files are read in processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import agentlens as al
from agentlens.thresholds.scan import MANY_FILES, Row, row_of, scan_files, worst_first

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
HEALTHY = ["能源补贴政策", "设备能耗 排名", "北京天气"]


def write(path: Path, queries, seconds=7.175, **more):
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": q}, "seconds": seconds, **more}
        for n, q in enumerate(queries, 1)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "sub" / "incident.jsonl", INCIDENT, tokens=100, cost=0.01)
    write(tmp_path / "healthy.jsonl", HEALTHY)
    write(tmp_path / "long.jsonl", ["北京天气"] * 9)
    (tmp_path / "empty.jsonl").write_text("", "utf-8")
    (tmp_path / "broken.json").write_text('{"a": [1, 2', "utf-8")
    return tmp_path


def test_rows_worst_first_and_damaged_last(folder):
    rows = scan_files(folder)
    names = [Path(row.source).name for row in rows]
    assert names == ["long.jsonl", "incident.jsonl", "healthy.jsonl", "broken.json", "empty.jsonl"]
    long, incident, healthy, broken, empty = rows
    assert (long.trip_round, long.saved_rounds) == (3, 7)
    assert (incident.trip_round, incident.thread, incident.request) == (3, "main", 1)
    assert (incident.rounds, incident.calls, incident.searches) == (5, 5, 5)
    assert incident.saved_rounds == 3
    assert incident.saved_seconds == pytest.approx(21.525)  # 3 of the incident's 35.875 s
    assert incident.saved_tokens == 300
    assert incident.saved_cost == pytest.approx(0.03)
    assert incident.verdict == "loop"
    assert (healthy.trip_round, healthy.saved_rounds, healthy.verdict) == (None, 0, "progress")
    for bad in (broken, empty):
        assert bad.error
        assert "\n" not in bad.error
        assert not bad.error.startswith(bad.source)


def test_policy_decides(folder):
    rows = scan_files(folder, al.Policy.preset("classic", threshold=3))
    assert {Path(r.source).name: r.trip_round for r in rows}["incident.jsonl"] == 4


def test_sub_agent_of_a_stopped_round_counts_once():
    """A sub-agent that a stopped round would never have started saves nothing of its own."""
    main = [
        {"round": n, "tool": "web_search", "args": {"query": "北京天气"}, "tokens": 10}
        for n in range(1, 5)
    ]
    trace = al.load(main)
    alone = row_of(trace, al.Policy.preset("classic"))
    assert (alone.trips, alone.saved_rounds, alone.saved_tokens) == (1, 2, 20)
    two = al.load(main + [{**row, "thread": "other"} for row in main])
    both = row_of(two, al.Policy.preset("classic"))
    assert (both.trips, both.saved_rounds, both.saved_tokens) == (2, 4, 40)
    tables = {name: dict(columns) for name, columns in two.tables.items()}
    place = tables["threads"]["thread"].index("other")
    parent = list(tables["threads"]["parent_call"])
    parent[place] = tables["calls"]["call_id"][3]  # the fourth round: after the trip
    tables["threads"]["parent_call"] = parent
    nested = al.Trace(tables, two.meta)
    row = row_of(nested, al.Policy.preset("classic"))
    assert (row.trips, row.saved_rounds) == (2, 2)
    parent[place] = tables["calls"]["call_id"][0]  # the first round: it would have been started
    assert row_of(al.Trace(tables, two.meta), al.Policy.preset("classic")).saved_rounds == 4


def test_order_is_total_and_stable():
    rows = [
        Row("c", saved_rounds=1, saved_seconds=1.0),
        Row("a", error="no"),
        Row("b", saved_rounds=1, saved_seconds=9.0),
        Row("d", saved_rounds=2),
    ]
    assert [r.source for r in worst_first(rows)] == ["d", "b", "c", "a"]
    assert worst_first(reversed(rows)) == worst_first(rows)


def test_missing_folder_is_one_line(tmp_path):
    with pytest.raises(al.TraceError, match="no such file or folder"):
        scan_files(tmp_path / "nowhere")


def test_a_bug_in_one_session_is_a_row(folder, monkeypatch):
    from agentlens.thresholds import scan

    real = scan.replay

    def replay(trace, policy):
        if trace.name == "healthy.jsonl":
            raise ZeroDivisionError("boom")
        return real(trace, policy)

    monkeypatch.setattr(scan, "replay", replay)
    errors = {Path(r.source).name: r.error for r in scan_files(folder)}
    assert errors["healthy.jsonl"] == "ZeroDivisionError: boom"
    assert errors["incident.jsonl"] is None


def test_processes_give_the_same_rows(tmp_path):
    for n in range(MANY_FILES + 3):
        write(tmp_path / f"{n:03}.jsonl", INCIDENT[: 1 + n % 5] if n % 7 else HEALTHY)
    (tmp_path / "bad.jsonl").write_text("not json", "utf-8")
    assert scan_files(tmp_path, workers=2) == scan_files(tmp_path, workers=1)


def test_a_script_without_a_guard_is_not_run_again(tmp_path):
    for n in range(MANY_FILES):
        write(tmp_path / "logs" / f"{n:03}.jsonl", INCIDENT)
    script = tmp_path / "script.py"
    script.write_text(
        "import agentlens.thresholds.scan as s\nprint('once')\n"
        "print(len(s.scan_files('logs', workers=2)), __file__)\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(al.__file__).parents[1])},
    )  # fmt: skip
    assert done.stdout.splitlines() == ["once", f"{MANY_FILES} {script}"]
    assert done.stderr == ""


def kill_on_bad(files):
    if any("bad" in file for file in files):
        os._exit(1)
    return [file.upper() for file in files]


def test_a_file_that_ends_its_process_costs_no_other():
    from agentlens.thresholds.processes import in_processes

    files = [f"f{n}" for n in range(6)] + ["bad"] + [f"g{n}" for n in range(6)]
    found, lost = in_processes(kill_on_bad, files, workers=2)
    assert lost == ["bad"]
    assert sorted(found) == sorted(f.upper() for f in files if f != "bad")


def test_rounds_and_trip_count_on_one_base():
    """The last round that calls a tool, by its number: silent rounds before it count, too."""
    search = {"tool": "web_search", "args": {"query": "weather"}}
    rows = [
        {"round": 1, "tool": None, "text": "let me see"},
        *({"round": n, **search} for n in (2, 3, 4, 5)),
        {"round": 6, "tool": None, "text": "I do not know"},
    ]
    other = [
        {"round": n, "thread": "sub", "tool": "read", "args": {"path": f"{n}"}}
        for n in range(1, 10)
    ]
    row = row_of(al.load([*other, *rows]), al.Policy.preset("classic"))
    assert (row.trip_round, row.rounds, row.saved_rounds, row.thread) == (4, 5, 2, "main")
    assert row_of(al.load(rows[:3]), al.Policy.preset("classic")).rounds == 3
    assert row_of(al.load([*other, *rows[:3]]), al.Policy.preset("classic")).rounds == 9
    assert row_of(al.load(rows[:1]), al.Policy.preset("classic")).rounds == 0
