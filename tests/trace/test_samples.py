"""The samples: there, small, reproducible, and what their README says of them is so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentlens.breaker.replay import replay
from agentlens.errors import TraceError
from agentlens.trace import samples
from agentlens.trace.load import load


def test_names_and_paths():
    names = samples.names()
    assert names[0] == "incident.jsonl"
    assert len(names) >= 10
    assert all(samples.path(name).is_file() for name in names)
    assert samples.path("incident") == samples.path("incident.jsonl")
    with pytest.raises(TraceError, match=r"no sample 'x'; there are incident.jsonl"):
        samples.path("x")


def test_they_are_small():
    assert sum(samples.path(name).stat().st_size for name in samples.names()) < 300_000


def test_recording_them_again_gives_the_same_bytes(tmp_path: Path, root: Path):
    subprocess.run([sys.executable, "-B", root / "sample_traces" / "record", tmp_path], check=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(samples.names())
    for name in samples.names():
        assert (tmp_path / name).read_bytes() == samples.path(name).read_bytes(), name


def test_the_incident_has_the_articles_numbers():
    trace = load(samples.path("incident"))
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    assert rounds["round"] == [0, 1, 2, 3, 4, 5, 6]
    assert rounds["text"][0] == "我来搜一下天气"
    assert sum(s for s in rounds["seconds"] if s is not None) == pytest.approx(35.875)
    assert rounds["seconds"][1:6] == [7.175] * 5
    assert rounds["time_quality"][1:6] == ["derived"] * 5
    assert calls["tool"] == ["webSearch"] * 5
    assert calls["query"] == [
        "天气",
        "今日天气 气温",
        "今日天气 晴雨",
        "今日天气 预报",
        "天气 实时",
    ]
    assert all(calls["result"])
    assert rounds["request"] == [1] * 7


def tokens(query: str) -> set[str]:
    """Return Chinese characters and lower-case words: enough for the samples' own queries."""
    return set(re.findall(r"[\u4e00-\u9fff]|[a-z0-9]+", query.lower()))


def first_trip(name: str) -> int | None:
    """Return the round in which the article's rule trips, worked out plainly from its text."""
    trace = load(samples.path(name))
    state: dict[tuple, tuple[list[set[str]], int]] = {}
    for row, members in enumerate(trace.round_calls):
        calls, rounds = trace.tables["calls"], trace.tables["rounds"]
        effects = {calls["effect"][c] for c in members}
        seen, count = state.get((rounds["thread"][row], rounds["request"][row]), ([], 0))
        if effects == {"search"}:
            mine = [tokens(q) for c in members for q in calls["queries"][c]]
            near = any(
                len(a & b) * 5 >= 4 * min(len(a), len(b)) for a in mine for b in seen if a and b
            )
            count = count + 1 if near else 0
            seen = seen + mine
            if count == 2:
                return rounds["round"][row]
        elif effects and "search" not in effects:
            count = 0
        state[rounds["thread"][row], rounds["request"][row]] = (seen, count)
    return None


def test_the_readme_says_of_each_what_the_rule_says(root: Path):
    text = (root / "sample_traces" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    said = {name: verdict for name, verdict, _ in rows}
    assert sorted(said) == sorted(samples.names())
    for name, verdict in said.items():
        trip = first_trip(name)
        if trip is None:
            assert verdict.startswith("progress"), name
        else:
            assert verdict.startswith(f"**loop**: trips in round {trip}"), name


def test_the_readme_says_of_each_what_the_default_policy_says(root: Path):
    text = (root / "sample_traces" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \|$", text, re.MULTILINE)
    for name, said in rows:
        made = replay(load(samples.path(name)))
        trip, verdict = made.trip, said.split(":")[0].strip("*")
        assert verdict == made.verdict, name
        assert (trip is not None) == (verdict == "loop"), name
        if trip is not None:
            assert f"{trip.phase} round {trip.round}" in said, name
            assert f"rule `{trip.rule}`" in said, name


def test_the_incident_finds_nothing_new_from_the_third_search_on():
    trace = load(samples.path("incident.jsonl"))
    results = [result.splitlines() for result in trace.tables["calls"]["result"]]
    had = {line for result in results[:2] for line in result}
    assert all(had.issuperset(result) for result in results[2:])
    assert len({tuple(result) for result in results}) == 5  # but no two are the same
    rounds = trace.tables["rounds"]["seconds"]
    assert sum(s for s in rounds if s) == 35.875


def test_they_load_without_guesses():
    for name in samples.names():
        trace = load(samples.path(name))
        assert {note.kind for note in trace.notes} <= {"skipped"}, name


def test_the_session_has_its_usage_once():
    path = samples.path("claude_code_web_loop")
    last = {}
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["type"] == "assistant":
            last[record["message"]["id"]] = record["message"]["usage"]["output_tokens"]
    rounds = load(path).tables["rounds"]
    assert len(rounds["round"]) == len(last) == 25
    assert sum(rounds["output_tokens"]) == sum(last.values())
