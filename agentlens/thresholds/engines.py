"""Who does the work: this machine's cores, or a Dask cluster. Results are the same."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentlens.errors import PolicyError
from agentlens.trace.progress_bar import progress_bar
from agentlens.trace.workers import LOST

__all__ = ["ENGINES", "work"]

ENGINES = ("local", "dask")

#: So many files are with the workers at once, each: bounds what waits in memory.
_AHEAD = 4
_Rows = list[dict[str, Any]]


def work(
    one: Callable[[str], _Rows], files: Sequence[str], engine: str, scheduler: str | None,
    workers: int | None, progress: bool,
) -> Iterator[tuple[str, _Rows]]:  # fmt: skip
    """Yield each file with its rows, in any order, as they are done.

    Parameters
    ----------
    one
        What is done with a file; picklable.
    files
        The files.
    engine, scheduler, workers, progress
        As for `agentlens.thresholds.sweep.sweep`.

    Raises
    ------
    PolicyError
        If dask is not installed or its scheduler does not answer.
    """
    ticks = iter(progress_bar(files, progress))
    found = _dask(one, files, scheduler) if engine == "dask" else _local(one, files, workers)
    for pair in found:
        next(ticks, None)
        yield pair
    for _ in ticks:
        pass


def _local(
    one: Callable[[str], _Rows], files: Sequence[str], workers: int | None
) -> Iterator[tuple[str, _Rows]]:
    many = min(workers or os.cpu_count() or 1, len(files))
    if many < 2:
        for file in files:
            yield file, one(file)
        return
    from concurrent.futures import FIRST_COMPLETED, wait
    from concurrent.futures.process import BrokenProcessPool

    from agentlens.trace.spawn import process_pool, unseen_main

    todo = list(reversed(files))
    alone: list[str] = []  # with the workers when one of them died
    while todo or alone:
        batch, todo = (todo, []) if todo else ([alone.pop()], [])
        single = not todo and len(batch) == 1
        with process_pool(1 if single else many) as pool:
            running: dict[Any, str] = {}
            try:
                while batch or running:
                    while batch and len(running) < many * _AHEAD:
                        with unseen_main():
                            running[pool.submit(one, batch[-1])] = batch[-1]
                        batch.pop()
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        rows = future.result()
                        yield running.pop(future), rows
            except BrokenProcessPool:
                lost = list(running.values())
                if single:
                    yield lost[0], [_died(lost[0])]
                else:
                    alone += lost
                    todo = batch


def _died(file: str) -> dict[str, Any]:
    return {"file": file, "run": 1, "policy": "", "error": LOST, "source": file}


def _dask(
    one: Callable[[str], _Rows], files: Sequence[str], scheduler: str | None
) -> Iterator[tuple[str, _Rows]]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise PolicyError("engine dask needs: pip install 'agentlens-jupyter[dask]'") from None
    try:
        client = distributed.Client(scheduler, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise PolicyError(f"no scheduler at {scheduler}: {error}") from error
    with client:
        todo = list(reversed(files))
        names: dict[str, str] = {}
        running = distributed.as_completed(loop=client.loop)
        ahead = max(1, len(client.scheduler_info()["workers"])) * _AHEAD

        def start(file: str) -> None:
            future = client.submit(one, file, pure=False, retries=3)
            names[future.key] = file
            running.add(future)

        for _ in range(min(ahead, len(todo))):
            start(todo.pop())
        for future in running:
            file = names.pop(future.key)
            try:
                rows = future.result()
            except distributed.KilledWorker:
                rows = [_died(file)]
            future.release()
            yield file, rows
            if todo:
                start(todo.pop())
