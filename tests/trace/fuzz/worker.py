"""A process that loads a range of damaged logs; the kernel ends it where one takes too long.

``python -m tests.trace.fuzz.worker SEED FIRST STOP FOLDER`` prints a line before and after each
input. Time is CPU time, of the loading and of the use of what was loaded apart, so that other work
on the machine does not count; memory is the process's own peak, with all libraries in it.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import signal
import sys
import time
import traceback
from contextlib import suppress
from itertools import islice
from pathlib import Path

import agentlens as al
from agentlens.errors import TraceError
from agentlens.trace.formats import FORMATS, get
from agentlens.trace.formats.atif import to_atif
from agentlens.trace.load import load, load_many
from agentlens.trace.model import Trace
from tests.trace.fuzz.corpus import seeds
from tests.trace.fuzz.mutations import make

SECONDS = 2.0
BYTES = 500_000_000


def _limit(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _status(name: str) -> int:
    (line,) = (x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith(name))
    return int(line.split()[1]) * 1024


def use(trace: Trace) -> None:
    """Touch what a notebook touches, and check that the tables fit together."""
    tables = trace.tables
    for table in ("threads", "rounds", "calls", "events"):
        assert len({len(cells) for cells in tables[table].values()}) == 1, table
    assert set(tables["calls"]["thread"]) <= set(tables["threads"]["thread"])
    assert all(s is None or s >= 0 for s in tables["calls"]["seconds"])
    assert all("\n" not in note.message for note in trace.notes)
    for frame in (trace.calls, trace.rounds, trace.events):
        frame.to_string(max_rows=2)
    replay = al.replay(trace)
    json.dumps(replay.to_dict(), allow_nan=False).encode()
    json.dumps(to_atif(trace)).encode()


def check(path: Path, format: str | None) -> int:
    """Load one file both ways and use what comes; return how many traces that was."""
    number = 0
    _load(path, format)
    with suppress(TraceError):
        for number, trace in enumerate(load_many(path, format=format, progress=False), 1):  # noqa: B007
            if number > 200:
                break
    _limit(SECONDS)
    with suppress(TraceError):
        for trace in islice(load_many(path, format=format, progress=False), 3):
            use(trace)
    return number


def _load(path: Path, format: str | None) -> None:
    """Load, for the errors: they are one line, and not too long."""
    try:
        load(path, format=format)
    except TraceError as error:
        text = str(error)
    else:
        return
    assert "\n" not in text, text
    assert len(text) < 3000, text


def main() -> None:
    seed, first, stop = map(int, sys.argv[1:4])
    path = Path(sys.argv[4]) / f"input-{first}"
    corpus = seeds()
    for name in FORMATS:
        get(name)
    parquet = next(s for s in corpus["openinference"] if s.data.startswith(b"PAR1"))
    path.write_bytes(parquet.data)
    for trace in load_many(path):  # imports everything, so that no input is charged with it
        use(trace)
    faulthandler.register(signal.SIGPROF, chain=True)
    size = _status("VmSize") + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    for number in range(first, stop):
        drawn = make(corpus, seed, number)
        path.write_bytes(drawn.data)
        begin = {"begin": number, "format": drawn.format, "story": drawn.story}
        print(json.dumps(begin), flush=True)
        problem, traces = None, 0
        started = time.process_time()
        _limit(SECONDS)
        try:
            traces = check(path, drawn.format)
        except BaseException:  # whatever it is, it is what we look for
            problem = traceback.format_exc(limit=-6)[-3000:]
        _limit(0)
        spent, peak = time.process_time() - started, _status("VmHWM")
        if problem is None and peak > BYTES:
            problem = f"peak of {peak / 1e6:.0f} MB"
        done = {"end": number, "traces": traces, "seconds": round(spent, 3), "problem": problem}
        print(json.dumps({**done, "peak": peak}), flush=True)
        if problem and peak > BYTES:
            return


if __name__ == "__main__":
    main()
