"""A process that takes hostile inputs through load, Lens, report and command line.

``python -m tests.hostile.worker SEED PART PARTS FOLDER [NAMES | FIRST STOP]`` prints a line before
and after each input of a part: of the hostile corpus, of those whose names are given (with commas;
``-name`` leaves one out), or of the damaged logs of `tests.trace.fuzz` in a range. An audit hook
sees what Python does: an input at which a process is started, a connection is made, an object is
unpickled or a file is written outside the folder is reported. The kernel ends the process where an
input takes too much CPU time.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import agentlens as al
from agentlens.breaker.replay import replay
from agentlens.errors import TraceError
from agentlens.trace.formats import FORMATS, get
from agentlens.trace.load import load_many
from agentlens.trace.model import Trace
from tests.hostile.inputs import inputs, run_of

#: What a small input may take, in bytes and CPU seconds; and a large one: 100,000 rounds or 5,000
#: threads go under every preset, into a page, two stills, a payload and through the terminal.
LARGE = 500_000
BYTES, BYTES_LARGE = 500_000_000, 2_500_000_000
SECONDS, SECONDS_LARGE = 10.0, 180.0
_EVENTS = (
    "os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect",
    "socket.getaddrinfo", "urllib.Request", "pickle.find_class", "sqlite3.enable_load_extension",
    "sqlite3.load_extension", "os.remove", "os.rename", "os.symlink", "shutil.rmtree",
)  # fmt: skip


class Watch:
    """Notes what should not happen while an input is read."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[object, ...]) -> None:
        if not self.on:
            return
        if event in _EVENTS:
            self.seen.append(f"{event} {args!r:.200}")
        elif event == "open" and len(args) > 2 and isinstance(args[2], int):
            writes = args[2] & 3 and not str(args[0]).startswith((self.folder, "/dev/null"))
            if writes:
                self.seen.append(f"open {args!r:.200}")


def status(name: str) -> int:
    """Return a number of bytes that the kernel tells of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(x.split()[1]) * 1024 for x in lines if x.startswith(name))


def show(trace: Trace, folder: Path) -> None:
    """Show a trace in every way there is."""
    from agentlens.figures.still import still
    from agentlens.widgets.lens.payload import as_json, stage_payload
    from agentlens.widgets.report.page import report_html

    made = replay(trace)
    page = report_html(made)
    as_json(stage_payload(made)).encode()  # goes to the page as data, never as markup
    for part in (page, still(made), still(made, "zh")):
        lower = part.lower()
        assert "<script>window" not in lower, "raw script"
        assert "<img" not in lower, "raw image"
        assert 'onerror="window' not in lower, "raw handler"
        part.encode()
    json.dumps(made.to_dict(), allow_nan=False).encode()
    folder.joinpath("page.html").write_text(page, "utf-8")


def command(path: Path) -> None:
    """Run the command line on a file; it may refuse, and says so in one line."""
    from agentlens.cli import main

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(["show", str(path)])
    told = out.getvalue() + errors.getvalue()
    assert code in (0, 2), code
    assert code == 0 or errors.getvalue().count("\n") == 1, errors.getvalue()[:500]
    bad = {c for c in told if c != "\n" and not c.isprintable() and c not in " \u3000\xa0"}
    assert not bad, f"on the terminal: {sorted(bad)[:5]}"


def check(path: Path, folder: Path, most: int = 2) -> None:
    """Take one file all the way."""
    with contextlib.suppress(TraceError):
        for trace in islice(load_many(path, progress=False), most):
            show(trace, folder)
    command(path)


def drawn(seed: int, owned: str, words: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the inputs that the command asks for."""
    if len(words) == 2:
        from tests.trace.fuzz.corpus import seeds
        from tests.trace.fuzz.mutations import make

        corpus = seeds()
        for number in range(int(words[0]), int(words[1])):
            yield f"fuzz-{number}", make(corpus, seed, number).data
        return
    names = set(words[0].split(",")) if words else set()
    without = {name[1:] for name in names if name[:1] == "-"}
    wanted = {name for name in names if name[:1] != "-"}
    for name, data in inputs(seed, owned):
        if name not in without and (not wanted or name in wanted):
            yield name, data
            wanted.discard(name)
            if not wanted and len(names) > len(without):
                return


def main() -> None:
    seed, part, parts = map(int, sys.argv[1:4])
    folder = Path(sys.argv[4])
    owned = folder / "owned"
    for name in FORMATS:
        get(name)
    (folder / "first.jsonl").write_text("".join(json.dumps(r) + "\n" for r in run_of(["a"], 9)))
    check(folder / "first.jsonl", folder)
    al.load([{"round": 1, "tool": "x"}]).calls.to_string()
    import pyarrow.parquet  # noqa: F401 - not charged to the first input that needs it

    watch = Watch(folder)
    size, resident = status("VmSize"), status("VmRSS")
    for number, (name, data) in enumerate(drawn(seed, str(owned), sys.argv[5:])):
        if number % parts != part:
            continue
        path = folder / name[-200:]
        path.write_bytes(data)
        print(json.dumps({"begin": name}), flush=True)
        problem = None
        large = len(data) > LARGE
        most = BYTES_LARGE if large else BYTES
        # memory that is asked for and never touched costs nothing: three times as much of that
        resource.setrlimit(resource.RLIMIT_AS, (size + 3 * most, -1))
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        signal.setitimer(signal.ITIMER_PROF, SECONDS_LARGE if large else SECONDS)
        started = time.process_time()
        watch.on = True
        try:
            check(path, folder)
        except BaseException:  # whatever it is, it is what we look for
            problem = traceback.format_exc(limit=-6)[-3000:]
        watch.on = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))  # for the making of the next input
        spent, peak = time.process_time() - started, status("VmHWM") - resident
        if problem is None and peak > most:
            problem = f"took {peak / 1e6:.0f} MB"
        if watch.seen:
            problem = f"{problem or ''} did: {watch.seen[:3]}"
            watch.seen.clear()
        if owned.exists():
            problem = f"{problem or ''} unpickled"
            owned.unlink()
        path.unlink()
        print(json.dumps({"end": name, "seconds": round(spent, 2), "problem": problem}), flush=True)
    print(json.dumps({"peak": status("VmHWM")}), flush=True)


if __name__ == "__main__":
    main()
