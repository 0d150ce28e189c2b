"""Work over many files with all cores: batches of files, small results, no crash that spreads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from agentlens.trace.progress_bar import progress_bar
from agentlens.trace.spawn import process_pool, unseen_main

__all__ = ["in_processes"]

T = TypeVar("T")

#: Files that one process reads before it reports.
LARGEST_BATCH = 32


def in_processes(
    function: Callable[[Sequence[str]], list[T]],
    files: Sequence[str],
    *,
    workers: int,
    progress: bool = False,
) -> tuple[list[T], list[str]]:
    """Apply a function to batches of files in processes of their own.

    Parameters
    ----------
    function
        Takes some files and returns a list; picklable, as are its results.
    files
        What to share out.
    workers
        How many processes.
    progress
        Show a progress bar.

    Returns
    -------
    tuple
        All results in the order of the files, and the files that ended the process that read
        them. Such a file costs no other: those of its batch are tried again, each alone.
    """
    size = min(LARGEST_BATCH, math.ceil(len(files) / (4 * workers)))
    batches = [files[at : at + size] for at in range(0, len(files), size)]
    results: list[T] = []
    unfinished: list[str] = []
    with process_pool(workers) as pool:
        with unseen_main():
            futures = [_submit(pool, function, batch) for batch in batches]
        waiting = list(zip(futures, batches, strict=True))
        for future, batch in progress_bar(waiting, progress, "batch"):
            _collect(future, batch, results, unfinished)
    lost: list[str] = []
    for file in unfinished:
        with process_pool(1) as pool:
            with unseen_main():
                again = _submit(pool, function, [file])
            _collect(again, [file], results, lost)
    return results, lost


def _submit(
    pool: ProcessPoolExecutor, function: Callable[[Sequence[str]], list[T]], batch: Sequence[str]
) -> Future[list[T]]:
    try:
        return pool.submit(function, batch)
    except BrokenProcessPool as error:  # an earlier batch has already ended its process
        broken: Future[list[T]] = Future()
        broken.set_exception(error)
        return broken


def _collect(
    future: Future[list[T]], batch: Sequence[str], results: list[T], lost: list[str]
) -> None:
    try:
        results.extend(future.result())
    except BrokenProcessPool:
        lost.extend(batch)
