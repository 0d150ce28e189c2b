"""Starting processes from wherever the user is: a script, a notebook, a prompt."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["process_pool", "unseen_main"]


@contextmanager
def unseen_main() -> Iterator[None]:
    """Keep new processes from running the user's script again, guard or no guard.

    They need this package only; the standard library re-runs ``__main__`` for what it might define.
    Nor do they hear Ctrl-C, not even while they start: they inherit what is blocked here.
    """
    blocked = None
    if hasattr(signal, "pthread_sigmask"):
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    main = sys.modules["__main__"]
    missing = object()
    kept = {name: getattr(main, name, missing) for name in ("__file__", "__spec__")}
    try:
        main.__spec__ = None
        if kept["__file__"] is not missing:
            del main.__file__
        yield
    finally:
        for name, value in kept.items():
            if value is not missing:
                setattr(main, name, value)
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


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
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        raise
    pool.shutdown()


def _hear_no_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
