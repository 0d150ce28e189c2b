"""Hostile input through load, Lens, report and command line: nothing runs, leaves, hangs or swells.

Each input is taken all the way in a process with bounds on memory and CPU time, in which an audit
hook sees what Python does. To see one again: ``python -m tests.hostile.worker SEED 0 1 FOLDER
NAME``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from tests.conftest import FULL
from tests.hostile.inputs import inputs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bounds as Linux has them")
SEED = int(os.environ.get("AGENTLENS_SEED", "20261130"))
#: Inputs of some megabytes, each of which takes seconds: in the full run.
SLOW = ("rounds.jsonl", "calls.jsonl", "one-line.json", "threads.jsonl", "line-words.jsonl")


def taken(folder: Path, part: int, parts: int, *words: str) -> tuple[int, list[str]]:
    """Run a worker; return how many inputs it took and what went wrong."""
    folder = folder / f"part-{part}"
    folder.mkdir()
    command = [sys.executable, "-W", "ignore", "-m", "tests.hostile.worker"]
    done = subprocess.run(
        [*command, str(SEED), str(part), str(parts), str(folder), *words],
        capture_output=True, text=True, timeout=7200 if FULL else 600, check=False,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    ended = {line["end"]: line["problem"] for line in lines if "end" in line}
    begun = [line["begin"] for line in lines if "begin" in line]
    problems = [f"{name}: {problem}" for name, problem in ended.items() if problem]
    lost = [name for name in begun if name not in ended]
    if lost or not any("peak" in line for line in lines):
        last = done.stderr[-2000:]
        problems.append(f"{lost}: ended the process, or took too long ({done.returncode}): {last}")
    return len(ended), problems


def on_two(folder: Path, *words: str, parts: int = 2) -> tuple[int, list[str]]:
    """Take the first two parts in two processes; with two parts that is all."""
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda part: taken(folder, part, parts, *words), (0, 1)))
    return sum(number for number, _ in found), [p for _, problems in found for p in problems]


def test_the_hostile_corpus(tmp_path: Path, count):
    words = () if FULL else (",".join(f"-{name}" for name in SLOW),)
    parts = count(16, 2)  # the quick run takes an eighth
    number, problems = on_two(tmp_path, *words, parts=parts)
    assert not problems, "\n\n".join(problems[:20])
    assert number >= 800 // parts


def test_damaged_logs_through_report_and_command_line(tmp_path: Path, count):
    total = count(30, 50_000)
    number, problems = on_two(tmp_path, "0", str(total))
    assert not problems, f"{len(problems)} of {total}:\n\n" + "\n\n".join(problems[:20])
    assert number == total


def test_the_same_seed_gives_the_same_inputs(count):
    first = count(300, 10_000)  # the bombs and the largest documents come last
    one, other = (dict(islice(inputs(SEED, "/nowhere"), first)) for _ in range(2))
    assert one == other
    assert len(one) >= 300


SPOIL = """
import sys
if "tests.hostile.worker" in sys.orig_argv:
    import agentlens.trace.formats.plain as plain
    sound = plain.read
    def read(part, build):
        if "markup-3" in (part.source or ""):
            {code}
        sound(part, build)
    plain.read = read
"""


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import socket; socket.socket().connect_ex(('127.0.0.1', 9))", "socket.connect"),
        ("open('/tmp/agentlens-owned', 'w')", "open ('/tmp/agentlens-owned'"),
        ("bytearray(5_000_000_000)", "MemoryError"),
        ("bytearray(b'x') * 700_000_000", "took 7"),
    ],
)  # fmt: skip
def test_the_harness_finds_what_it_looks_for(tmp_path: Path, monkeypatch, code: str, why: str):
    (tmp_path / "sitecustomize.py").write_text(SPOIL.format(code=code))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))
    _, problems = taken(tmp_path, 0, 1, "markup-3.jsonl,markup-4.jsonl")
    Path("/tmp/agentlens-owned").unlink(missing_ok=True)
    (problem,) = problems
    assert problem.startswith("markup-3.jsonl")
    assert why in problem
