"""The record: append-only, whole after a kill but for its last line, and read as it was seen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from random import Random

import orjson
import pytest

import agentlens as al
from agentlens.breaker.live.guard import Guard
from agentlens.breaker.live.recorder import Recorder

CHILD = """
import sys
from agentlens import Guard, Policy
guard = Guard(Policy.preset("classic", threshold=10**9), record=sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    number += 1
    guard.before([
        {"tool": "webSearch", "args": {"query": f"天气 {number}"}},
        {"tool": "sendMail", "args": {"to": "a@b.example"}},
    ])
    guard.after([{"result": "多云 " * 500}, {"result": "sent"}])
"""


def test_a_killed_process_leaves_a_record_that_opens(count, tmp_path):
    rng = Random(9)
    for number in range(count(4, 60)):
        file = tmp_path / f"{number}.jsonl"
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(file)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.02 + rng.random() / 10)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        data = file.read_bytes()
        lines = data.splitlines()
        whole = lines if data.endswith(b"\n") else lines[:-1]
        rows = [orjson.loads(line) for line in whole]
        trace = al.load(file)
        assert len(trace) == sum("tool" in row for row in rows) > 0
        rounds = trace.tables["rounds"]["round"]
        assert rounds == list(range(1, len(rounds) + 1))
        # every call of every round but the last has its result
        assert "missing" not in trace.tables["calls"]["status"][:-2]
        assert [n.kind for n in trace.notes] in ([], ["damaged"])


def test_a_call_is_in_the_file_before_it_runs(tmp_path):
    file = tmp_path / "run.jsonl"
    guard = Guard("classic", record=file)
    guard.before([{"tool": "sendMail", "args": {"to": "a@b.example"}, "id": "m1"}])
    trace = al.load(file)
    assert trace.tables["calls"]["status"] == ["missing"]
    assert trace.tables["calls"]["call_id"] == ["m1"]
    guard.after([{"result": "sent"}])
    assert al.load(file).tables["calls"]["status"] == ["ok"]
    guard.close()
    assert guard.before([]).action == "proceed"


def test_save_record_and_trace_are_the_same_run(tmp_path):
    guard = Guard("classic", record=tmp_path / "a.jsonl")
    guard.new_request("今天天气如何？")
    for query in ("天气", "今日天气"):
        guard.before(
            [{"tool": "webSearch", "args": {"query": query}}], text="t", reasoning="r", tokens=5
        )
        guard.after([{"result": {"urls": []}, "tokens": 9, "cost": 0.5}])
    guard.close()
    guard.save(tmp_path / "b.jsonl")
    traces = [guard.trace(), al.load(tmp_path / "a.jsonl"), al.load(tmp_path / "b.jsonl")]
    assert traces[0].tables == traces[1].tables == traces[2].tables
    assert traces[1].meta.task == "今天天气如何？"
    calls, rounds = traces[0].tables["calls"], traces[0].tables["rounds"]
    assert (calls["tokens"], calls["cost"]) == ([9, 9], [0.5, 0.5])
    assert rounds["tokens"] == [5, 5]
    assert (rounds["text"], rounds["reasoning"]) == (["t", "t"], ["r", "r"])
    assert all(seconds is not None and seconds >= 0 for seconds in calls["seconds"])


def test_a_run_is_not_appended_to_another(tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_text('{"round": 1, "tool": "a"}\n')
    with pytest.raises(FileExistsError, match="holds something"):
        Guard("classic", record=file)
    with pytest.raises(OSError, match="No such file"):
        Guard("classic", record=tmp_path / "nowhere" / "run.jsonl")


def test_a_write_that_fails_halfway_costs_its_line_and_is_made_up_for(tmp_path):
    class Torn:
        """A disk that is full for a while."""

        def __init__(self, file):
            self.file, self.full = file, False

        def write(self, data):
            if self.full:
                self.file.write(data[:10])
                raise OSError("no space left on device")
            return self.file.write(data)

        def close(self):
            self.file.close()

    recorder = Recorder(tmp_path / "run.jsonl")
    recorder._file = disk = Torn(recorder._file)
    recorder.add({"round": 1, "tool": "a"})
    recorder.flush()
    disk.full = True
    recorder.add({"round": 2, "tool": "b"})
    with pytest.raises(OSError, match="no space"):
        recorder.flush()
    disk.full = False
    recorder.add({"round": 3, "tool": "c"})
    recorder.flush()
    recorder.close()
    trace = al.load(tmp_path / "run.jsonl")
    assert trace.tables["calls"]["tool"] == ["a", "b", "c"]
    assert [note.kind for note in trace.notes] == ["damaged"]


def test_an_empty_guard_has_an_empty_trace():
    trace = Guard("classic").trace()
    assert (len(trace), al.replay(trace, "classic").trip) == (0, None)
