"""ATIF: what is written is valid by the official models, and reading it gives the trace again."""

from __future__ import annotations

import json
from pathlib import Path

import atif
import pytest
from hypothesis import given

from agentlens.trace import samples
from agentlens.trace.formats.atif import to_atif, write_atif
from agentlens.trace.load import load, load_many
from agentlens.trace.model import Trace
from tests.trace.round_trip import KEY, runs

HERE = Path(__file__).parent
FILES = [
    path for name in ("examples", "recorded", "second") for path in sorted((HERE / name).iterdir())
]

#: Columns that say where in the source, or in the table, something stands.
PLACES = frozenset("line call round_row after_row".split())


def by_thread(trace: Trace) -> dict[str, list[dict]]:
    """Return the rows of each table, thread by thread."""
    out = {}
    for table in ("rounds", "calls", "events"):
        cells = trace.tables[table]
        rows = [
            {k: v[i] for k, v in cells.items() if k not in PLACES}
            for i in range(len(cells["thread"]))
        ]
        out[table] = sorted(rows, key=lambda row: row["thread"])
    threads = trace.tables["threads"]
    rows = [{k: v[i] for k, v in threads.items()} for i in range(len(threads["thread"]))]
    out["threads"] = sorted(rows, key=lambda row: row["thread"])
    return out


def agrees(trace: Trace, task: bool = True) -> None:
    written = to_atif(trace)
    atif.Trajectory.model_validate(written)
    again = load(written)
    assert again.format == "atif"
    for table, rows in by_thread(trace).items():
        assert by_thread(again)[table] == rows, table
    assert again.meta.task == trace.meta.task or not task
    assert again.meta.models == trace.meta.models
    assert again.meta.session_id == trace.meta.session_id
    assert dict(again.meta.outcome) == dict(trace.meta.outcome)


@pytest.mark.parametrize("name", samples.names())
def test_samples_survive_the_round_trip(name: str):
    agrees(load(samples.path(name)))


def test_writing_a_file(tmp_path: Path):
    path = write_atif(load(samples.path("incident")), tmp_path / "out.json")
    atif.Trajectory.model_validate(json.loads(path.read_text("utf-8")))
    assert len(load(path)) == 5


@given(runs())
def test_any_plain_trace_survives_the_round_trip(rows):
    # a user's words that start no request, after an empty one that does, are no task in a plain log
    agrees(load(rows), task=not any(row.get("event") == "user_message" for row in rows))


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_every_format_survives_the_round_trip(file: Path):
    for trace in load_many(file, progress=False):
        if trace.tables["rounds"]["round"]:
            agrees(trace)


def test_files_are_masked_unless_told_otherwise(tmp_path: Path):
    trace = load([{"round": 1, "tool": "f", "args": {"a": KEY}, "result": f"{KEY} 天气"}])
    masked = write_atif(trace, tmp_path / "a.json").read_text("utf-8")
    assert "Q4x7" not in masked
    assert masked.count("<api-key:1>") == 2
    assert "Q4x7" in write_atif(trace, tmp_path / "b.json", redact=False).read_text("utf-8")


def test_reading_what_others_write():
    step = {
        "step_id": 2,
        "source": "agent",
        "message": "x",
        "timestamp": "2026-03-02T09:00:00Z",
        "model_name": "m",
    }
    document = {
        "schema_version": "ATIF-v1.2",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "go"}]},
            {**step, "is_copied_context": True, "metrics": {"prompt_tokens": 5}},
            {
                **step,
                "step_id": 3,
                "reasoning_content": "hm",
                "llm_call_count": 1,
                "tool_calls": [
                    {"tool_call_id": "c1", "function_name": "f", "arguments": {"q": 1}},
                    {"tool_call_id": "c2", "function_name": "g", "arguments": {}},
                ],
                "observation": {
                    "results": [
                        {"source_call_id": "c2", "content": "Error: no"},
                        {"source_call_id": "c1", "content": None, "extra": {"is_error": True}},
                        {"content": "a remark"},
                    ]
                },
                "metrics": {
                    "prompt_tokens": 9,
                    "cached_tokens": 4,
                    "completion_tokens": 2,
                    "cost_usd": 0.1,
                },
            },
        ],
    }
    atif.Trajectory.model_validate(document)
    trace = load(document)
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    assert rounds["copied"] == [True, False]
    assert rounds["input_tokens"] == [5, 9]
    assert rounds["cost"] == [None, 0.1]
    assert calls["status"] == ["error", "error"]
    assert calls["paired_by"] == ["id", "id"]
    assert trace.tables["events"]["kind"] == ["user_message", "other"]
    assert trace.meta.format_version == "ATIF-v1.2"
    assert load_many([document, document]).count() == 2


def test_agents_within_agents():
    trace = load(samples.path("atif_subagent_loop"))
    threads = trace.tables["threads"]
    assert threads["thread"] == ["main", "scout"]
    assert (threads["parent"][1], threads["parent_call"][1]) == ("main", "call_task")
