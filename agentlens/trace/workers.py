"""Files read by several processes at once, and handed over one trace at a time, in their order.

Each worker reads a few files, one after the other. What it found is taken when its turn comes, or
before, as long as that is little: in flight are a few megabytes and one trace a worker, however
many files there are. A worker that dies costs the file that it read, and no other; when nobody
listens any more, workers end by themselves.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol, TypeAlias

from agentlens.trace.spawn import unseen_main

__all__ = ["LOST", "in_order"]

#: Bytes of small traces that are sent together, and files that a worker gets at once.
_TOGETHER, _LARGEST_BATCH = 1 << 18, 32
#: Bytes that are taken from workers before their turn, so that they need not wait for each other.
_AHEAD = 1 << 22

#: Why there is nothing of a file whose worker died.
LOST = "reading it ended its process (out of memory?)"


class _Pipe(Protocol):
    def send(self, message: Any, /) -> None: ...

    def recv(self) -> Any: ...

    def close(self) -> None: ...


_Message: TypeAlias = "tuple[list[bytes], list[tuple[str, str]] | None]"
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
    crew = _Crew(read, files, workers)
    try:
        while batch := crew.next_batch():
            for number in batch.numbers:
                failed = None
                while failed is None:
                    held, failed = crew.next_of(batch)
                    for data in held:
                        yield number, pickle.loads(data)  # noqa: S301 - our own process wrote it
                failures.extend(failed)
                yield number, None
    finally:
        crew.end()


class _Batch:
    """Files that one worker reads, and what came of them so far."""

    def __init__(self, numbers: list[int]):
        self.numbers = numbers
        self.inbox: deque[_Message] = deque()
        self.ended = 0

    @property
    def rest(self) -> list[int]:
        """Files that were not read to their end."""
        return self.numbers[self.ended :]


class _Crew:
    """The workers, what each is reading, and what they sent before its turn."""

    def __init__(self, read: Read, files: Sequence[str], workers: int):
        size = max(1, min(_LARGEST_BATCH, len(files) // (8 * workers)))
        every = list(range(len(files)))
        self.read, self.files = read, files
        self.waiting = deque(_Batch(every[at : at + size]) for at in range(0, len(files), size))
        self.batches: deque[_Batch] = deque()
        self.busy: dict[_Worker, _Batch] = {}
        self.idle: list[_Worker | None] = [None] * workers  # None: still to be started
        self.held = 0

    def next_batch(self) -> _Batch | None:
        """Return the files whose turn it is; None after the last."""
        if not self.batches:
            self._take(0)
        return self.batches.popleft() if self.batches else None

    def next_of(self, batch: _Batch) -> _Message:
        """Return what comes next of the batch whose turn it is."""
        self._take(0)
        while not batch.inbox:
            self._take(None, batch)
        held, failed = batch.inbox.popleft()
        self.held -= sum(map(len, held))
        return held, failed

    def _take(self, seconds: float | None, first: _Batch | None = None) -> None:
        """Give out work, and take what workers have sent: of all, or where much is held of one."""
        much = self.held >= _AHEAD
        while self.idle and self.waiting and not (much and self.busy):
            batch = self.waiting.popleft()
            self.batches.append(batch)
            self._give(self.idle.pop(), batch)
        listened = {
            worker.pipe: worker for worker, batch in self.busy.items() if not much or batch is first
        }
        for pipe in wait(listened, seconds) if listened else ():
            self._hear(listened[pipe])  # type: ignore[index]

    def _give(self, worker: _Worker | None, batch: _Batch) -> None:
        worker = worker or _Worker(self.read)
        self.busy[worker] = batch
        with suppress(OSError):  # it has died; that shows when it is listened to
            worker.pipe.send([self.files[number] for number in batch.rest])

    def _hear(self, worker: _Worker) -> None:
        batch = self.busy[worker]
        dead = False
        try:
            held, failed = worker.pipe.recv()
        except (EOFError, OSError):
            held, failed, dead = [], [(self.files[batch.rest[0]], LOST)], True
        batch.inbox.append((held, failed))
        self.held += sum(map(len, held))
        batch.ended += failed is not None
        if dead:
            worker.end()
        if dead or not batch.rest:
            del self.busy[worker]
            if batch.rest:  # a new one reads what the dead one left
                self._give(None, batch)
            else:
                self.idle.append(None if dead else worker)

    def end(self) -> None:
        """End all workers."""
        for worker in (*self.busy, *self.idle):
            if worker is not None:
                worker.end()
