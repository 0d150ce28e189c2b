"""Files read by several processes at once, and handed over one trace at a time, in their order.

Each worker reads a few files, one after the other, and waits until what it found is taken: in
flight is one trace a worker, or a few small ones, however many files there are. A worker that
dies costs the file that it read, and no other; when nobody listens any more, workers end by
themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from agentlens.trace.spawn import unseen_main

__all__ = ["how_many", "in_order"]

#: Bytes of small traces that are sent together, and files that a worker gets at once.
_TOGETHER, _LARGEST_BATCH = 1 << 18, 32
#: With fewer bytes on this machine than this, starting processes costs more than they save.
MUCH = 1 << 25
#: Of files elsewhere, whose sizes are not asked for, so many are worth it.
MANY_FILES = 64
#: Addresses that mean the same to another process. ``memory://`` does not.
_SHARED = frozenset("s3 s3a gs gcs hdfs abfs abfss az http https".split())

_LOST = "reading it ended its process (out of memory?)"


class _Pipe(Protocol):
    def send(self, message: Any, /) -> None: ...

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
    with suppress(EOFError, OSError):  # nobody listens any more
        while True:
            for file in pipe.recv():
                _tell(pipe, read, file)


def _tell(pipe: _Pipe, read: Read, file: str) -> None:
    """Send what a file holds: small traces together, and with the last what could not be read."""
    failures: list[tuple[str, str]] = []
    held: list[bytes] = []
    size = 0
    found = read(file, failures)
    while True:
        try:
            trace = next(found, None)
            data = b"" if trace is None else bytes(ForkingPickler.dumps(trace))
        except Exception as error:  # no file may hide the others
            failures.append((file, f"{type(error).__name__}: {error}"[:300]))
            break
        if not data:
            break
        held.append(data)
        size += len(data)
        if size >= _TOGETHER:
            pipe.send((held, None))
            held, size = [], 0
    pipe.send((held, failures))


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
    size = max(1, min(_LARGEST_BATCH, len(files) // (4 * workers)))
    numbers = list(range(len(files)))
    waiting = deque(numbers[at : at + size] for at in range(0, len(files), size))
    busy: deque[tuple[list[int], _Worker]] = deque()
    alive: set[_Worker] = set()

    def give(worker: _Worker | None = None) -> None:
        if worker is None:
            worker = _Worker(read)
            alive.add(worker)
        batch = waiting.popleft()
        busy.append((batch, worker))
        with suppress(OSError):  # it has died; that shows when its answer is asked for
            worker.pipe.send([files[number] for number in batch])

    try:
        while waiting and len(busy) < workers:
            give()
        while busy:
            batch, worker = busy.popleft()
            dead = False
            while batch and not dead:
                try:
                    held, failed = worker.pipe.recv()
                except (EOFError, OSError):
                    held, failed, dead = [], [(files[batch[0]], _LOST)], True
                for data in held:
                    yield batch[0], pickle.loads(data)  # noqa: S301 - our own process wrote it
                if failed is not None:
                    failures.extend(failed)
                    yield batch.pop(0), None
            if dead or not waiting:
                alive.discard(worker)
                worker.end()
            if dead and batch:  # the rest of its files come next, by a new one
                waiting.appendleft(batch)
                give()
                busy.rotate(1)
            elif waiting:
                give(None if dead else worker)
    finally:
        for worker in alive:
            worker.end()
