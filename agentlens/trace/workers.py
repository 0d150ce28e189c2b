"""Files read by several processes at once, and handed over one trace at a time, in their order.

Each worker reads one file at a time and waits until what it found is taken: in flight is one
trace a worker, however many files there are. A worker that dies costs the file that it read, and
no other; when nobody listens any more, workers end by themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from agentlens.trace.spawn import unseen_main

__all__ = ["how_many", "in_order"]

#: With fewer bytes on this machine than this, starting processes costs more than they save.
MUCH = 1 << 25
#: Of files elsewhere, whose sizes are not asked for, so many are worth it.
MANY_FILES = 64
#: Addresses that mean the same to another process. ``memory://`` does not.
_SHARED = frozenset("s3 s3a gs gcs hdfs abfs abfss az http https".split())

_LOST = "reading it ended its process (out of memory?)"


class _Pipe(Protocol):
    def send(self, message: Any, /) -> None: ...

    def send_bytes(self, data: Any, /) -> None: ...

    def recv(self) -> Any: ...

    def close(self) -> None: ...


Read = Callable[[str, list[tuple[str, str]]], Iterator[Any]]


class _Worker:
    """One process, and our end of the pipe to it."""

    def __init__(self, read: Read):
        context = multiprocessing.get_context("spawn")  # a notebook's kernel has threads
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, read), daemon=True)
        with unseen_main():
            self.process.start()
        theirs.close()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


def _work(pipe: _Pipe, read: Read) -> None:
    """Read each file that comes and send what it holds, until there is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asked
    while True:
        try:
            file = pipe.recv()
        except (EOFError, OSError):  # nobody listens any more
            return
        failures: list[tuple[str, str]] = []
        try:
            for trace in read(file, failures):
                data = ForkingPickler.dumps(trace)
                try:
                    pipe.send_bytes(data)
                except OSError:
                    return
        except Exception as error:  # no file may hide the others
            failures.append((file, f"{type(error).__name__}: {error}"[:300]))
        with suppress(OSError):
            pipe.send(failures)


def how_many(files: Sequence[Any], workers: int | None = None) -> int:
    """Return how many processes to read some files with; 1 is this process alone.

    Parameters
    ----------
    workers
        What the user wishes; None leaves it to the number of cores and of bytes.
    """
    if len(files) < 2 or not all(isinstance(file, str) and _means_the_same(file) for file in files):
        return 1
    if multiprocessing.current_process().daemon:  # it may not start processes of its own
        return 1
    if workers is not None:
        return max(1, min(workers, len(files)))
    cores = min(os.cpu_count() or 1, len(files), 32)
    if cores < 2:
        return 1
    elsewhere = sum("://" in file for file in files)
    return cores if elsewhere >= MANY_FILES or _size(files) >= MUCH else 1


def _means_the_same(file: str) -> bool:
    scheme, mark, _ = file.partition("://")
    return not file.startswith("mlflow:") and (not mark or scheme.lower() in {*_SHARED, "file"})


def _size(files: Sequence[str]) -> int:
    total = 0
    for file in files:
        with suppress(OSError):
            total += os.stat(file).st_size  # noqa: PTH116 - many thousands of them
        if total >= MUCH:
            break
    return total


def in_order(
    read: Read, files: Sequence[str], workers: int, failures: list[tuple[str, str]]
) -> Iterator[tuple[int, Any]]:
    """Yield ``(number of the file, trace)`` in the order of files; None for a trace ends a file.

    Parameters
    ----------
    read
        A picklable function of a file and a list for failures, which yields traces.
    files
        What to read.
    workers
        How many processes.
    failures
        Gets what could not be read, in the order of files.
    """
    waiting = deque(enumerate(files))
    busy: deque[tuple[int, _Worker]] = deque()
    alive: set[_Worker] = set()

    def started() -> _Worker:
        worker = _Worker(read)
        alive.add(worker)
        return worker

    def ended(worker: _Worker) -> None:
        alive.discard(worker)
        worker.end()

    try:
        while waiting and len(busy) < workers:
            busy.append(_given(waiting, started()))
        while busy:
            number, worker = busy.popleft()
            lost = False
            try:
                while not isinstance(found := worker.pipe.recv(), list):
                    yield number, found
                failures.extend(found)
            except (EOFError, OSError):
                failures.append((files[number], _LOST))
                lost = True
            if lost or not waiting:
                ended(worker)
            if waiting:
                busy.append(_given(waiting, started() if lost else worker))
            yield number, None
    finally:
        for worker in list(alive):
            ended(worker)


def _given(waiting: deque[tuple[int, str]], worker: _Worker) -> tuple[int, _Worker]:
    number, file = waiting.popleft()
    with suppress(OSError):  # it has died; that shows when its answer is asked for
        worker.pipe.send(file)
    return number, worker
