"""Written in the plain format and read again, a trace is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from agentlens.trace import samples
from agentlens.trace.formats.plain_write import plain_lines, to_plain, write_plain
from agentlens.trace.load import load, load_many
from tests.trace.round_trip import KEY, runs, tables

HERE = Path(__file__).parent
FILES = [*sorted((HERE / "examples").iterdir()), *sorted((HERE / "recorded").iterdir()),
         *sorted((HERE / "second").iterdir()),
         *(samples.path(name) for name in samples.names())]  # fmt: skip
#: What rows of the plain format have no key for.
BESIDE = frozenset(
    "line paired_by tool_raw id_generated call_id kind name abandoned message_id copied injected "
    "hidden truncated parts namespace args_state args_raw".split()
)


@given(runs())
def test_any_plain_trace_survives(rows):
    trace = load(rows)
    again = load([json.loads(line) for line in plain_lines(trace)])
    assert tables(again) == tables(trace)
    if not any(row.get("event") == "user_message" for row in rows):  # no task, yet a user's words
        assert again.meta.task == trace.meta.task
    assert again.meta.models == trace.meta.models


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_every_format_can_be_written_as_plain_rows(file: Path):
    for trace in load_many(file, progress=False):
        if not trace.tables["rounds"]["round"]:
            continue
        again = load(to_plain(trace), tools=trace.tools)
        assert tables(again, BESIDE) == tables(trace, BESIDE)


def test_rows_are_as_plain_as_the_run():
    rows = [
        {"role": "user", "text": "go"},
        {"round": 1, "tool": "web_search", "args": {"query": "天气"}, "result": "none",
         "error": False, "text": "I look.", "started": "2026-03-02T09:00:00Z", "seconds": 2.5,
         "tokens": 7},
        {"round": 2, "tool": None, "text": "Nothing."},
    ]  # fmt: skip
    assert to_plain(load(rows)) == rows


def test_amounts_of_a_round_that_are_not_those_of_its_calls():
    rows = [
        {"round": 1, "tool": None, "text": "both", "seconds": 9.0, "tokens": 50, "total": True},
        {"round": 1, "tool": "a", "args": {}, "seconds": 2.0, "tokens": 3},
        {"round": 1, "tool": "b", "args": {}, "seconds": 4.0},
    ]
    trace = load(rows)
    assert trace.tables["rounds"]["seconds"] == [9.0]
    assert trace.tables["rounds"]["tokens"] == [50]
    assert trace.tables["calls"]["seconds"] == [2.0, 4.0]
    assert to_plain(trace) == rows


def test_files_are_masked_unless_told_otherwise(tmp_path: Path):
    trace = load([{"round": 1, "tool": "f", "args": {"a": KEY}, "result": f"{KEY} 天气"}])
    masked = write_plain(trace, tmp_path / "a.jsonl").read_text("utf-8")
    assert "Q4x7" not in masked
    assert masked.count("<api-key:1>") == 2
    assert "天气" in masked
    kept = write_plain(trace, tmp_path / "b.jsonl", redact=False)
    assert tables(load(kept)) == tables(trace)
