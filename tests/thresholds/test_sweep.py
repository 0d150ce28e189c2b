"""Sweeps: the same file from one process, from several, and from a cluster that loses a worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import agentlens as al
from agentlens.thresholds import sweep as module
from agentlens.thresholds.sweep import sweep


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Write a folder of plain runs, one of them damaged beyond reading."""
    place = tmp_path_factory.mktemp("runs")
    for n in range(24):
        rows = [
            {"round": r, "tool": "web_search", "args": {"query": "same" if n % 2 else f"q{r} w{n}"},
             "result": f"r{r * n}", "seconds": 1.5, "tokens": 10}
            for r in range(1, 6)
        ]  # fmt: skip
        label = "loop" if n % 2 else "good"
        (place / f"run{n:02}.json").write_text(json.dumps({"label": label, "trace": rows}))
    (place / "zz.json").write_text("{ nothing")
    return place


POLICIES = ["classic", al.Policy.preset("classic", threshold=3)]


def test_rows_are_what_evaluate_says(folder: Path):
    frame = sweep(folder, POLICIES, workers=1, progress=False)
    assert len(frame) == 24 * 2 + 1
    good = frame[frame["error"].isna()]
    runs = al.evaluate(al.load_many(folder, progress=False), "classic", resamples=10).runs
    own = good[good["policy"] == "classic"]
    assert own["stopped"].tolist() == [run.stopped for run in runs]
    assert own["saved_rounds"].tolist() == [run.saved_rounds for run in runs]
    assert set(good["policy"]) == {"classic", "classic 2"}
    assert frame["error"].notna().sum() == 1


def test_several_processes_write_the_same_file(folder: Path, tmp_path: Path):
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    sweep(folder, POLICIES, one, workers=1, progress=False)
    sweep(folder, POLICIES, f"file://{two}", workers=2, progress=False)
    assert one.read_bytes() == two.read_bytes()
    assert not list(tmp_path.glob("*.parts"))
    assert len(pd.read_parquet(one)) == 49


def test_after_a_crash_only_the_rest_is_done(folder: Path, tmp_path: Path, monkeypatch):
    whole, again = tmp_path / "whole.parquet", tmp_path / "again.parquet"
    sweep(folder, POLICIES, whole, workers=1, progress=False)
    real, seen = module.sweep_file, []

    def dies(file, policies):
        if len(seen) == 9:
            raise KeyboardInterrupt
        seen.append(file)
        return real(file, policies)

    monkeypatch.setattr(module, "sweep_file", dies)
    with pytest.raises(KeyboardInterrupt):
        sweep(folder, POLICIES, again, workers=1, progress=False)
    assert not again.exists()
    first = list(seen)

    def notes(file, policies):
        seen.append(file)
        return real(file, policies)

    monkeypatch.setattr(module, "sweep_file", notes)
    sweep(folder, POLICIES, again, workers=1, progress=False)
    assert len(seen) == 25
    assert not set(first) & set(seen[9:]), "what was done is not done again"
    assert again.read_bytes() == whole.read_bytes()


def test_interrupted_it_leaves_no_process_and_no_half_file(tmp_path: Path, root: Path):
    """Ctrl-C, as a terminal sends it: to the command and its workers at once."""
    runs, one, two = tmp_path / "runs", tmp_path / "one.csv", tmp_path / "two.csv"
    runs.mkdir()
    for n in range(40):
        rows = [{"round": r, "tool": "web_search", "args": {"query": f"q{r % 9} w{n}"},
                 "result": f"r{r}"} for r in range(1, 150)]  # fmt: skip
        (runs / f"run{n:02}.json").write_text(json.dumps(rows))
    words = [sys.executable, "-m", "agentlens.cli", "sweep", str(runs), "--policies", "classic",
             "--workers", "2", "-o"]  # fmt: skip
    command = subprocess.Popen(
        [*words, str(two)], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    parts = tmp_path / "two.csv.parts"
    for _ in range(1200):
        if command.poll() is not None or any(parts.glob("*.json")):
            break
        time.sleep(0.05)
    os.killpg(command.pid, signal.SIGINT)
    _, said = command.communicate(timeout=60)
    assert command.returncode == 130
    assert "Traceback" not in said
    for _ in range(100):
        try:
            os.killpg(command.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a process is left over")
    assert not two.exists()
    assert any(parts.glob("*.json"))
    sweep(runs, ["classic"], two, workers=1, progress=False)  # goes on where it ended
    sweep(runs, ["classic"], one, workers=1, progress=False)
    assert one.read_bytes() == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.csv", "runs", "two.csv"]


def test_unknown_engines_are_refused(folder: Path):
    with pytest.raises(al.PolicyError, match="none of local, dask"):
        sweep(folder, engine="magic")


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_writes_the_same_file(folder: Path, tmp_path: Path, root):
    """A real scheduler and two worker processes; one is killed while files are with it."""
    pytest.importorskip("distributed")
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    sweep(folder, POLICIES, one, workers=1, progress=False)
    address = tmp_path / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONWARNINGS": "ignore"}

    def start(*words: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", *words, "--scheduler-file", str(address), "--no-dashboard"],
            env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    started = [start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        for _ in range(600):
            if address.exists() and address.stat().st_size:
                break
            time.sleep(0.1)
        worker = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny")
        started += [start(*worker, "--name", name) for name in ("a", "b")]
        where = json.loads(address.read_text())["address"]
        killed = []

        from distributed import Client

        with Client(where, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(2, timeout=90)
        engine = module.work

        def watched(*args):
            for number, pair in enumerate(engine(*args)):
                if number == 2:
                    os.kill(started[1].pid, signal.SIGKILL)
                    killed.append(started[1].wait())
                yield pair

        module.work = watched
        try:
            sweep(folder, POLICIES, two, engine="dask", scheduler=where, progress=False)
        finally:
            module.work = engine
        assert killed == [-signal.SIGKILL]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
    assert two.read_bytes() == one.read_bytes()


def test_the_command_says_what_it_found(folder: Path, tmp_path: Path, capsys):
    from agentlens.cli import main

    target = tmp_path / "r.csv"
    words = ["sweep", str(folder), "--policies", "classic", "-o", str(target), "--workers", "1"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "classic: 12 of 24 runs would have been stopped; saved: 36 rounds" in said
    assert "25 rows; not readable: 1" in said
    assert len(pd.read_csv(target)) == 25
    assert main([*words[:3], "nothing", *words[4:]]) == 2
