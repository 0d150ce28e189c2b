"""Ctrl-C in long work: it ends soon, says nothing ugly, and leaves no process and no half file."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def of_session(session: int) -> list[int]:
    """Return the processes of a session that are not yet gone."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                state, _, _, at = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(at) == session and state != "Z":
                    found.append(int(entry.name))
    return found


def wait_for(true: Callable[[], object], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


class Running:
    """A command in a session of its own, as from a terminal."""

    def __init__(self, folder: Path, *command: str) -> None:
        self.errors = folder / "errors.txt"
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *command], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True,
            )  # fmt: skip

    def interrupt(self, *, all_of_them: bool) -> int:
        """Press Ctrl-C, which reaches the whole group, or tell the one process; return its code."""
        (os.killpg if all_of_them else os.kill)(self.process.pid, signal.SIGINT)
        return self.process.wait(20)

    def left(self) -> list[int]:
        wait_for(lambda: not of_session(self.process.pid), 5)
        return of_session(self.process.pid)

    def said(self) -> str:
        return self.errors.read_text("utf-8")

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    started: list[Running] = []

    def start(*command: str) -> Running:
        started.append(Running(tmp_path, *command))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a folder of many logs: more than there is time for before the interrupt."""
    folder = tmp_path / "logs"
    folder.mkdir()
    rows = "".join(
        json.dumps({"round": n, "tool": "web_search", "args": {"query": f"weather {n % 40} x{n}"},
                    "result": "sunny " * 20}) + "\n"
        for n in range(1, 400)
    )  # fmt: skip
    for n in range(150):
        (folder / f"{n:03}.jsonl").write_text(rows.replace("weather", f"weather {n}"))
    return folder


@pytest.mark.parametrize("all_of_them", [True, False])
def test_sweep(run, logs: Path, tmp_path: Path, all_of_them: bool):
    command = ("-m", "agentlens.cli", "sweep", str(logs), "-o", "out.csv", "--workers", "2",
               "--policies", "classic")  # fmt: skip
    parts = tmp_path / "out.csv.parts"
    work = run(*command)
    assert wait_for(lambda: len(list(parts.glob("*.json"))) > 3), work.said()
    assert work.interrupt(all_of_them=all_of_them) == 130
    assert work.left() == []
    assert "Traceback" not in work.said()
    assert not (tmp_path / "out.csv").exists()
    kept = list(parts.iterdir())
    assert 3 < len(kept) < 150
    assert {p.suffix for p in kept} == {".json"}
    assert all(json.loads(p.read_text()) for p in kept)


@pytest.mark.parametrize("all_of_them", [True, False])
def test_load_many_in_processes(run, logs: Path, tmp_path: Path, all_of_them: bool):
    (tmp_path / "load.py").write_text(
        "import agentlens as al, pathlib\n"
        f"for n, trace in enumerate(al.load_many({str(logs)!r}, workers=2, progress=False)):\n"
        "    if n == 3:\n        pathlib.Path('begun').touch()\n"
        "    if n > 100:\n        import time; time.sleep(60)\n"
    )
    work = run("load.py")
    assert wait_for((tmp_path / "begun").exists), work.said()
    assert work.interrupt(all_of_them=all_of_them) != 0
    assert work.left() == []
    assert work.said().count("KeyboardInterrupt\n") == 1  # the script's own, and none of a worker


@pytest.mark.parametrize("all_of_them", [True, False])
def test_scan(run, logs: Path, all_of_them: bool):
    work = run("-m", "agentlens.cli", "scan", str(logs), "--workers", "2")
    assert wait_for(lambda: len(of_session(work.process.pid)) > 2), work.said()
    assert work.interrupt(all_of_them=all_of_them) == 130
    assert work.left() == []
    assert "Traceback" not in work.said()


def test_lab(run, tmp_path: Path):
    trace = tmp_path / "t.jsonl"
    trace.write_text('{"round": 1, "tool": "web_search", "args": {"query": "a"}, "result": "b"}\n')
    work = run("-m", "agentlens.cli", "lab", str(trace), "--no-browser")
    assert wait_for(lambda: "is running at" in work.said()), work.said()
    os.killpg(work.process.pid, signal.SIGINT)
    time.sleep(0.3)
    work.interrupt(all_of_them=True)  # once more is to be sure
    assert work.left() == []
    notebook = json.loads((tmp_path / "agentlens-notebooks" / "t.ipynb").read_text("utf-8"))
    assert notebook["cells"]
