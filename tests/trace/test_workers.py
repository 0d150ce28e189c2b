"""Many files read by several processes: in order, one trace in flight each, no orphans."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import fsspec
import pytest

from agentlens.trace import progress_bar as progress_bar_module
from agentlens.trace.load import load_many
from agentlens.trace.many_files import how_many, read_all
from agentlens.trace.workers import in_order

PLAIN = {"round": 1, "tool": "web_search", "args": {"query": "天气"}, "result": "晴"}
CHAT = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}


def fill(folder: Path, files: int = 12) -> Path:
    """Write files of three formats, one of many runs, one damaged, one that is no log."""
    for n in range(files):
        text = json.dumps(PLAIN) if n % 2 else json.dumps(CHAT)
        (folder / f"{n:02}.json").write_text(text, "utf-8")
    many = "".join(json.dumps({"trace": [PLAIN], "id": f"t{n}"}) + "\n" for n in range(3))
    (folder / "03many.jsonl").write_text(many, "utf-8")
    (folder / "05bad.json").write_text("{oops", "utf-8")
    (folder / "06other.json").write_text('{"hello": 1}', "utf-8")
    (folder / "07.jsonl.gz").write_bytes(gzip.compress(json.dumps(PLAIN).encode()))
    return folder


def seen(corpus):
    return [(trace.meta.source, trace.format, len(trace)) for trace in corpus]


@pytest.mark.parametrize("workers", [2, 3])
def test_processes_give_what_one_gives_in_the_same_order(tmp_path: Path, workers: int):
    folder = fill(tmp_path)
    alone, together = (load_many(folder, progress=False, workers=w) for w in (1, workers))
    assert seen(together) == seen(alone)
    assert len(alone) == 12 + 3 + 1
    assert [name.split("/")[-1] for name, _ in alone.failures] == ["05bad.json", "06other.json"]
    assert together.failures == alone.failures


def test_a_glob_and_tools_reach_the_processes(tmp_path: Path):
    fill(tmp_path)
    corpus = load_many(f"{tmp_path}/0[0-3]*.json*", workers=2, tools={"web_search": "read"})
    effects = {e for trace in corpus for e in trace.tables["calls"]["effect"]}
    assert effects == {"read"}


def test_a_file_system_in_memory_is_read_here(tmp_path: Path):
    files = fsspec.filesystem("memory")
    for path in fill(tmp_path).iterdir():
        files.pipe(f"/corpus/{path.name}", path.read_bytes())
    files.pipe("/corpus/readme.txt", b"no log")
    try:
        local = load_many(tmp_path, progress=False)
        shape = [(kind, calls) for _, kind, calls in seen(local)]
        for source in ("memory://corpus", "memory://corpus/*.json*"):
            corpus = load_many(source, progress=False, workers=4)
            assert [(kind, calls) for _, kind, calls in seen(corpus)] == shape
            assert len(corpus.failures) == 2
    finally:
        files.rm("/corpus", recursive=True)


def test_how_many():
    assert how_many(["a"], 8) == 1
    assert how_many(["a", "b"], 8) == 2
    assert how_many(["a", "memory://b"], 8) == 1
    assert how_many(["a", {"b": 1}], 8) == 1
    assert how_many(["a", "b"]) == min(os.cpu_count() or 1, 2)
    assert how_many([f"s3://b/{n}" for n in range(99)]) == min(os.cpu_count() or 1, 32)


def alive(pids):
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()
            and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]]  # fmt: skip


def pids_of(folder, failures):
    for _ in range(3):
        yield os.getpid()


def dying(file, failures):
    if file == "bad":
        os._exit(9)
    yield file


def slow(marks, file, failures):
    """Leave a mark for each trace that is made, far larger than what a pipe holds."""
    for n in range(3):
        (Path(marks) / f"{file}-{n}").touch()
        yield b"x" * 5_000_000


def test_who_stops_listening_leaves_no_process_behind():
    found = in_order(pids_of, list("abcd"), 2, [])
    pids = {pid for _, pid in (next(found), next(found), next(found), next(found), next(found))
            if pid}  # fmt: skip
    assert len(pids) == 2
    assert os.getpid() not in pids
    found.close()
    assert not alive(pids)


def test_a_process_that_dies_costs_its_file_only():
    failures: list[tuple[str, str]] = []
    got = [name for _, name in in_order(dying, ["a", "bad", "b", "c"], 2, failures) if name]
    assert got == ["a", "b", "c"]
    assert failures == [("bad", "reading it ended its process (out of memory?)")]


def test_of_many_files_each_that_kills_is_lost_alone_and_in_its_place():
    files = [f"f{n}" for n in range(40)]
    files[3] = files[20] = "bad"
    failures: list[tuple[str, str]] = []
    got = list(in_order(dying, files, 2, failures))
    assert [number for number, trace in got if trace is None] == list(range(40))
    assert [trace for _, trace in got if trace] == [f for f in files if f != "bad"]
    assert [name for name, _ in failures] == ["bad", "bad"]


def test_no_worker_runs_ahead_of_who_listens(tmp_path: Path):
    found = in_order(partial(slow, str(tmp_path)), list("abcdef"), 2, [])
    next(found)
    time.sleep(1)
    made = {path.name for path in tmp_path.iterdir()}
    assert len(made) <= 4  # a trace each, and the next one that the first may be making
    assert not any(name.startswith(("c", "d", "e", "f")) for name in made)
    found.close()


def pids_slowly(seconds, file, failures):
    time.sleep(seconds)
    yield os.getpid()


def test_several_take_over_where_they_save_time_and_not_where_they_do_not(monkeypatch):
    """After half a second this process knows whether the rest would take it longer than a start."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    files = [f"f{n}" for n in range(40)]  # of unknown size: all alike
    for seconds, own in ((0.01, 40), (0.15, 4)):
        got = list(read_all(partial(pids_slowly, seconds), files, None, []))
        assert [number for number, trace in got if trace is None] == list(range(40))
        here = [number for number, trace in got if trace == os.getpid()]
        assert here == list(range(len(here)))
        assert (len(here) == own) if own == 40 else (own <= len(here) < 12)


def test_a_worker_need_not_wait_for_the_turn_of_its_files(tmp_path: Path):
    """While the first file takes its time, the other worker reads on, as far as little is held."""
    found = in_order(partial(first_slowly, str(tmp_path)), list("abcdefgh"), 2, [])
    assert next(found)[1] == "a"
    assert len(list(tmp_path.iterdir())) >= 6
    assert [trace for _, trace in found if trace] == list("bcdefgh")


def first_slowly(marks, file, failures):
    if file == "a":
        until = time.monotonic() + 20
        while len(list(Path(marks).iterdir())) < 6 and time.monotonic() < until:
            time.sleep(0.05)
    (Path(marks) / file).touch()
    yield file


def test_ctrl_c_ends_all(tmp_path: Path):
    """A script without a main guard, as in a notebook; interrupted while it reads."""
    for n in range(400):
        (tmp_path / f"{n}.jsonl").write_text((json.dumps(PLAIN) + "\n") * 300, "utf-8")
    script = tmp_path / "script.py"
    script.write_text(
        "import agentlens as al, multiprocessing as mp, signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores it
        f"for n, _ in enumerate(al.load_many({str(tmp_path)!r}, workers=2, progress=False)):\n"
        "    if n == 1:\n"
        "        print(*(p.pid for p in mp.active_children()), flush=True)\n"
        "    time.sleep(0.1)\n",
        "utf-8",
    )
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        pids = [int(word) for word in process.stdout.readline().split()]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert len(pids) == 2
    assert process.returncode != 0
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert said.count("Traceback") == 1
    assert not alive(pids)


def test_what_could_not_be_read_is_listed_at_the_end(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr(progress_bar_module, "_watched", lambda: True)
    (tmp_path / "a\x1b[2Jb.json").write_text("{oops", "utf-8")
    (tmp_path / "b.json").write_text(json.dumps(PLAIN), "utf-8")
    for _ in load_many(tmp_path):
        pass
    said = capsys.readouterr().err
    assert said.startswith("1 could not be read:\n")
    assert "a?[2Jb.json" in said
    assert "\x1b" not in said
    for _ in load_many(tmp_path, progress=False):
        pass
    assert capsys.readouterr().err == ""
