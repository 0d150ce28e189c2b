"""Whatever it is given, a reader makes a trace or raises the one error: any JSON, damaged bytes.

Each damaged log is loaded in a process that the kernel ends after 2 seconds of CPU time and that
may take no more than 500 MB. A failure names seed and number; to see that one input again:
``python -m tests.trace.fuzz.worker SEED NUMBER NUMBER+1 FOLDER`` (it writes it into the folder).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlens.errors import TraceError
from agentlens.trace.formats import FORMATS
from agentlens.trace.load import load
from tests.trace.fuzz.corpus import FOLDERS, SUFFIXES, seeds
from tests.trace.fuzz.mutations import MOST, make
from tests.trace.fuzz.strategies import almost, bodies, values
from tests.trace.fuzz.worker import use

FULL = os.environ.get("AGENTLENS_FULL") == "1"
#: Another seed draws other inputs.
SEED = int(os.environ.get("AGENTLENS_SEED", "20261130"))
#: Every format draws its own: together some thousands of inputs, and ten times more in full.
fuzzed = settings(max_examples=200 if FULL else 12)
#: Inputs that one process loads; a new one then starts with little memory.
BATCH = 1000


@pytest.mark.parametrize("name", FORMATS)
@fuzzed
@given(items=st.lists(values, min_size=1, max_size=4))
def test_any_json(name: str, items: list[Any]):
    read(items, name)


@pytest.mark.parametrize("name", FORMATS)
@fuzzed
@given(drawn=st.lists(bodies, min_size=1, max_size=4))
def test_records_that_are_almost_right(name: str, drawn: list[dict[str, Any]]):
    items = [almost(name, body) for body in drawn]
    for source in (items, items[0]):
        for chosen in (name, None):
            read(source, chosen)


def read(source: Any, name: str | None) -> None:
    try:
        trace = load(source, format=name)
    except TraceError as error:
        message = str(error)
    else:
        message = ""
        use(trace)
    assert "\n" not in message


def run(first: int, stop: int, folder: Path) -> list[str]:
    """Load a range of damaged logs in a process of its own; return what went wrong."""
    command = [sys.executable, "-m", "tests.trace.fuzz.worker", str(SEED), str(first), str(stop)]
    with (folder / f"errors-{first}").open("w+") as errors:
        process = subprocess.Popen(
            [*command, str(folder)], stdout=subprocess.PIPE, stderr=errors, text=True
        )
        try:
            said, _ = process.communicate(timeout=120 + 3 * (stop - first))
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        errors.seek(0)
        last_words = errors.read()[-3000:]
    lines = [json.loads(line) for line in said.splitlines()]
    begun = {line["begin"]: line for line in lines if "begin" in line}
    ended = {line["end"]: line for line in lines if "end" in line}
    found = [
        f"seed {SEED}, input {n} ({begun[n]['story']}, read as {begun[n]['format']}): "
        f"{line['problem']}"
        for n, line in ended.items()
        if line["problem"]
    ]
    lost = begun.keys() - ended.keys()
    for n in lost:
        found.append(
            f"seed {SEED}, input {n} ({begun[n]['story']}, read as {begun[n]['format']}): took "
            f"over 2 s, or ended the process (status {process.returncode}): {last_words}"
        )
    after = max(begun, default=first) + 1
    if not lost and after < stop and not found:
        found.append(f"the process ended before input {after}: {last_words}")
    return [*found, *(run(after, stop, folder) if found and begun and after < stop else [])]


def test_damaged_logs(tmp_path: Path, count):
    total = count(150, 20_000)
    ranges = [(n, min(n + BATCH, total)) for n in range(0, total, BATCH)]
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        found = pool.map(lambda pair: run(*pair, tmp_path), ranges)
        problems = [problem for each in found for problem in each]
    assert not problems, f"{len(problems)} of {total} inputs:\n\n" + "\n\n".join(problems[:20])


def test_the_damage_can_be_made_again_and_every_log_is_a_seed():
    corpus = seeds()
    assert set(corpus) == set(FORMATS)
    kept = {seed.data for each in corpus.values() for seed in each}
    logs = [p for folder in FOLDERS for p in folder.rglob("*") if p.suffix in SUFFIXES]
    assert len(logs) > 40
    assert all(path.read_bytes() in kept for path in logs)
    starts = {seed.data[:4] for each in corpus.values() for seed in each}
    assert {b"PK\x03\x04", b"SQLi", b"PAR1"} <= starts
    drawn = [make(corpus, SEED, number) for number in range(60)]
    assert drawn == [make(corpus, SEED, number) for number in range(60)]
    assert len({each.data for each in drawn}) > 55
    most = max(len(seed.data) for each in corpus.values() for seed in each)
    large = [make(corpus, SEED, number) for number in (38, 844, 1059, 3777)]  # that grew most
    assert max(len(each.data) for each in (*drawn, *large)) < 2 * most + 4 * MOST


SPOIL = """
import sys
def spoil():
    import agentlens.trace.formats.plain as plain
    sound = plain.read
    def read(part, build):
        if "input-" in (part.source or ""):
            {code}
        sound(part, build)
    plain.read = read
if "tests.trace.fuzz.worker" in sys.orig_argv:
    spoil()
"""


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True: pass", "took over 2 s"),
        ("bytearray(2_000_000_000)", "MemoryError"),
        ("raise KeyError('x')", "KeyError"),
        ("import os; os.abort()", "ended the process"),
    ],
)
def test_the_harness_finds_what_it_looks_for(tmp_path: Path, monkeypatch, code: str, why: str):
    """A reader that hangs, eats memory, raises or crashes is found, and its input is named."""
    (tmp_path / "sitecustomize.py").write_text(SPOIL.format(code=code))
    folder = tmp_path / "inputs"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))
    corpus = seeds()
    drawn = ((n, make(corpus, SEED, n)) for n in range(2000))
    first = next(n for n, d in drawn if d.format == "plain" and d.story == "plain values")
    (problem,) = run(first, first + 1, folder)
    assert problem.startswith(f"seed {SEED}, input {first} (plain values, read as plain): ")
    assert why in problem
