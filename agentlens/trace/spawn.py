"""Starting processes from wherever the user is: a script, a notebook, a prompt."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["process_pool", "unseen_main"]

_LOCK = threading.Lock()
#: For each ``__main__`` that is hidden now, by its id: how many hide it, and what it had before.
_HIDDEN: dict[int, tuple[int, dict[str, Any]]] = {}


@contextmanager
def unseen_main() -> Iterator[None]:
    """Keep new processes from running the user's script again, guard or no guard.

    They need this package only; the standard library re-runs ``__main__`` for what it might define.
    Nor do they hear Ctrl-C, not even while they start: they inherit what is blocked here. Several
    threads may do this at once: the script is seen again when the last of them has started its own.
    """
    blocked = None
    if hasattr(signal, "pthread_sigmask"):
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        main = sys.modules["__main__"]
        _hide(main)
        try:
            yield
        finally:
            _show(main)
    finally:
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _hide(main: ModuleType) -> None:
    with _LOCK:
        users, had = _HIDDEN.get(id(main), (0, {}))
        if not users:
            had = {n: vars(main)[n] for n in ("__file__", "__spec__") if n in vars(main)}
            main.__spec__ = None
            if "__file__" in had:
                del main.__file__
        _HIDDEN[id(main)] = users + 1, had


def _show(main: ModuleType) -> None:
    with _LOCK:
        users, had = _HIDDEN.pop(id(main))
        if users > 1:
            _HIDDEN[id(main)] = users - 1, had
            return
        for name, value in had.items():
            setattr(main, name, value)


@contextmanager
def process_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes that end at once where the work is interrupted or given up.

    Ctrl-C reaches every process of a terminal: it is for the one who asked, and workers do not
    hear it. They are ended here, whatever they are doing.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A notebook's kernel has threads, and a fork of those can hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_hear_no_interrupt)
    try:
        yield pool
    except BaseException:
        processes = list((pool._processes or {}).values())
        manager: Any = pool._executor_manager_thread
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        if manager is not None:  # it closes a pipe that the interpreter writes to as it ends
            manager.join()
        raise
    pool.shutdown()


def _hear_no_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
