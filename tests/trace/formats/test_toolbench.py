"""ToolBench trees: real files recounted by hand, and the traps of the format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def node(kind, text, *children, **more):
    return {"node_type": kind, "description": text, "children": list(children), **more}


def step(tool, args, *children, thought=None, code=0, observation='{"error": "", "response": ""}'):
    inner = node("Action Input", args, *children, observation=observation, observation_code=code)
    action = node("Action", tool, inner)
    return node("Thought", thought, action) if thought else action


def record(*children, **more):
    root = node("Action Input", "", *children)
    answer = {"query": "find it", "finish_type": "give_answer", "total_tokens": 9}
    return {"tree": {"tree": root}, "win": True, "answer_generation": answer, **more}


def test_siblings_are_threads_that_begin_where_they_branch_off():
    first = step("search_x", '{"query": "a"}', thought="try a", code=12)
    second = step("Finish", '{"return_type": "give_answer"}', thought="no, b", code=3)
    trace = load(record(step("search_x", '{"query": "b"}', first, second)))
    calls = trace.tables["calls"]
    assert calls["thread"] == ["main", "main", "sibling-1"]
    assert calls["tool"] == ["search_x", "search_x", "Finish"]
    assert calls["status"] == ["ok", "error", "ok"]
    assert calls["error_type"] == [None, "request failed", None]
    assert calls["effect"] == ["search", "search", "finish"]
    threads = trace.tables["threads"]
    assert threads["kind"] == ["main", "dfs_sibling"]
    assert threads["parent"] == [None, "main"]
    assert threads["abandoned"] == [True, False]
    assert trace.tables["rounds"]["text"] == ["", "try a", "no, b"]
    assert trace.tables["rounds"]["round"] == [1, 2, 1]
    assert trace.meta.outcome["exit_reason"] == "give_answer"
    assert trace.meta.totals == {"tokens": 9}


def test_thoughts_alone_and_actions_never_executed():
    bare = node("Thought", "a", node("Thought", "b", node("Action", "f")))
    trace = load(record(bare, win=None))
    assert trace.tables["rounds"]["text"] == ["a", "b"]
    assert len(trace) == 0
    assert any("not executed" in note.message for note in trace.notes)
    assert trace.meta.outcome["status"] == "unknown"


def test_malformed_trees():
    odd = node("Riddle", 5, node("Action Input", "{oops", 7), "x")
    trace = load(record(odd, answer_generation=None))
    assert trace.tables["calls"]["args_state"] == ["unparsed"]
    assert {note.kind for note in trace.notes} >= {"skipped", "guessed", "damaged"}
    with pytest.raises(TraceError):
        load({"tree": {"tree": 5}}, format="toolbench")
    deep = step("f", "{}")
    for _ in range(3000):
        deep = node("Thought", "t", deep)
    assert len(load(record(deep))) == 1


@pytest.mark.shared
def test_counts_of_all_real_files_made_otherwise_agree(shared: Path):
    folder = shared / "data" / "traces"
    files = [*folder.rglob("*_DFS_woFilter_w2.json"), *folder.glob("toolbench_dfs/*.json")]
    assert len(files) == 25
    for path in files:
        data = json.loads(path.read_text("utf-8"))
        text = json.dumps(data["tree"])
        (trace,) = load_many(path)
        calls = trace.tables["calls"]
        assert trace.format == "toolbench"
        # The root is an input as well, but nothing was called.
        assert len(trace) == text.count('"node_type": "Action Input"') - 1
        seen: Counter[int] = Counter()
        extra = rounds = 0
        queue = [(data["tree"]["tree"], None)]
        while queue:
            at, above = queue.pop()
            seen[at.get("observation_code")] += 1
            extra += max(0, len(at["children"]) - 1)
            kind = at["node_type"]
            rounds += kind == "Thought" or (kind == "Action" and above != "Thought")
            queue += [(child, kind) for child in at["children"]]
        assert trace.tables["threads"]["kind"].count("dfs_sibling") == extra
        assert len(trace.tables["rounds"]["round"]) == rounds
        bad = sum(count for code, count in seen.items() if code not in (None, 0, 3, 4))
        assert calls["status"].count("error") + calls["status"].count("timeout") == bad
        assert (trace.meta.outcome["status"] == "success") == data["win"]
