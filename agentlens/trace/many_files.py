"""Who reads many files: this process alone, or several where that is worth it.

Starting a worker takes as long as reading a few megabytes, or many: formats differ tenfold. So this
process begins, and hands over what is left once it has seen how long that would take it.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from time import perf_counter
from typing import Any

from agentlens.trace.workers import Read, in_order

__all__ = ["how_many", "read_all"]

#: Seconds of reading after which the rest can be told from what was read.
TRIAL = 0.5
#: Seconds that starting workers takes, until they read (0.5 s of CPU time each, importing).
START = 1.0
#: Files elsewhere are waited for rather than read: so many are begun by several at once.
MANY_FILES = 64
#: Addresses that mean the same to another process. ``memory://`` does not.
_SHARED = frozenset("s3 s3a gs gcs hdfs abfs abfss az http https".split())


def how_many(files: Sequence[Any], workers: int | None = None) -> int:
    """Return how many processes may read some files; 1 is this process alone.

    Parameters
    ----------
    workers
        What the user wishes; None leaves it to the number of cores.
    """
    if len(files) < 2 or not all(isinstance(file, str) and _means_the_same(file) for file in files):
        return 1
    if multiprocessing.current_process().daemon:  # it may not start processes of its own
        return 1
    if workers is not None:
        return max(1, min(workers, len(files)))
    return min(os.cpu_count() or 1, len(files), 32)


def _means_the_same(file: str) -> bool:
    scheme, mark, _ = file.partition("://")
    return not file.startswith("mlflow:") and (not mark or scheme.lower() in {*_SHARED, "file"})


def read_all(
    read: Read, files: Sequence[Any], workers: int | None, failures: list[tuple[str, str]]
) -> Generator[tuple[int, Any], None, None]:
    """Yield ``(number of the file, trace)`` in the order of files; None for a trace ends a file.

    Parameters
    ----------
    read, files, failures
        As in `in_order`.
    workers
        How many processes; None: several once it is clear that they save time.
    """
    many = how_many(files, workers)
    begun = 0
    if many == 1 or (workers is None and sum("://" in file for file in files) < MANY_FILES):
        begun = yield from _alone(read, files, many, failures)
    if begun < len(files):
        many = min(many, len(files) - begun)
        with closing(in_order(read, files[begun:], many, failures)) as found:  # type: ignore[type-var]
            for number, trace in found:
                yield begun + number, trace


def _alone(
    read: Read, files: Sequence[Any], many: int, failures: list[tuple[str, str]]
) -> Generator[tuple[int, Any], None, int]:
    """Read here, until several would be done sooner; return how many files were read."""
    sizes = _sizes(files) if many > 1 else []
    left, done, spent = sum(sizes), 0, 0.0
    for number, file in enumerate(files):
        if many > 1 and spent > TRIAL:
            saved = spent / max(done, 1) * left * (1 - 1 / min(many, len(files) - number))
            if saved > START:
                return number
        found = read(file, failures)
        while True:
            started = perf_counter()  # what is done with a trace is not part of it
            trace = next(found, None)
            spent += perf_counter() - started
            if trace is None:
                break
            yield number, trace
        if many > 1:
            left -= sizes[number]
            done += sizes[number]
        yield number, None
    return len(files)


def _sizes(files: Sequence[str]) -> list[int]:
    """Return the size of each file; 1 of a folder that is a log, or of what cannot be asked."""
    sizes = [1] * len(files)
    for number, file in enumerate(files):
        with suppress(OSError):
            sizes[number] += os.stat(file).st_size  # noqa: PTH116 - many thousands of them
    return sizes
