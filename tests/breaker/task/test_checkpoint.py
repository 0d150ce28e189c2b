"""A saved task: whole or not there, for its owner only, and what cannot be resumed says why."""

from __future__ import annotations

import json
import os
import stat
import time

import pytest

from agentlens.breaker.task.checkpoint import Checkpoint, CheckpointError, read, resume


def saved(tmp_path, **values):
    path = tmp_path / "task.json"
    Checkpoint(task="t", **values).write(path)
    return path


def test_a_checkpoint_is_read_as_it_was_written(tmp_path):
    made = Checkpoint(
        results=(1, "二", {"a": [None]}), consistent={"x": 1.5}, stop={"event": "no_progress"},
        conditions=("c",), task="t", state="partial", messages={"zh": "…"}, forbidden=("f",),
        replans=1, saved=3.0, expires=9.0,
    )  # fmt: skip
    made.write(tmp_path / "task.json")
    assert read(tmp_path / "task.json") == made


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = saved(tmp_path, replans=1)
    old = path.read_bytes()
    with pytest.raises(ValueError, match="not JSON compliant"):
        saved(tmp_path, consistent={"x": float("nan")})
    with pytest.raises(TypeError):
        saved(tmp_path, consistent={"x": object()})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        saved(tmp_path, replans=2)
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["task.json"]


def test_the_file_and_its_folder_are_synced_before_the_writer_returns(tmp_path, monkeypatch):
    order, fsync, put = [], os.fsync, os.replace

    def synced(handle):
        order.append("dir" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("replace"), put(a, b))[1])
    saved(tmp_path)
    assert order == ["file", "replace", "dir"]


def test_what_a_killed_writer_left_is_removed_when_it_is_old(tmp_path):
    old, new = tmp_path / ".task.json.x.tmp", tmp_path / ".task.json.y.tmp"
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (time.time() - 7200,) * 2)
    saved(tmp_path)
    assert not old.exists()
    assert new.exists()  # another writer may be at work


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a whole JSON file"),
        ('{"format": "agentlens-checkpoint@1", "task"', "not a whole JSON file"),
        ("[]", "its format is None"),
        ('{"format": "other@1"}', "its format is 'other@1', not 'agentlens-checkpoint@1'"),
        ('{"format": "agentlens-checkpoint@1", "colour": 1}', "unexpected keyword"),
        ('{"format": "agentlens-checkpoint@1", "results": 5}', "not iterable"),
        ('{"format": "agentlens-checkpoint@1", "budget": {"total": {}}}', "damaged"),
        ('{"format": "agentlens-checkpoint@1", "ledger": [{"no": 1}]}', "damaged"),
        ('{"format": "agentlens-checkpoint@1", "state": "asleep"}', "there is no state 'asleep'"),
    ],
)
def test_what_is_no_checkpoint_says_so_in_one_line(tmp_path, text, why):
    path = tmp_path / "task.json"
    path.write_text(text)
    with pytest.raises(CheckpointError, match=r"task\.json: ") as caught:
        resume(path)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(CheckpointError, match="No such file"):
        resume(tmp_path / "none.json")


def test_r45_a_task_expires(tmp_path):
    path = saved(tmp_path, state="partial", expires=100.0)
    assert resume(path, clock=lambda: 99.9).machine.state == "running"
    with pytest.raises(CheckpointError, match="expired; start the task 't' anew"):
        resume(path, clock=lambda: 100.0)


def test_a_completed_task_is_not_resumed(tmp_path):
    with pytest.raises(CheckpointError, match="the task 't' is completed"):
        resume(saved(tmp_path, state="completed"))


def test_r45_a_run_killed_while_finalizing_may_still_write_nothing_new(tmp_path):
    again = resume(saved(tmp_path, state="finalizing"))
    assert again.ledger.blocked
    assert not resume(saved(tmp_path, state="waiting_human")).ledger.blocked


def test_the_layout_is_named_first(tmp_path):
    assert next(iter(json.loads(saved(tmp_path).read_text()))) == "format"
