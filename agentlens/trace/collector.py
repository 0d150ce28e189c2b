"""Python's collector of cycles, out of the way while a log is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collection"]


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause the collector of cycles: a trace is millions of objects, none of them garbage.

    They then count as old, or the collector would walk through all of them at once.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            if not gc.get_freeze_count():  # else what someone froze would thaw
                gc.freeze()
                gc.unfreeze()
            gc.enable()
