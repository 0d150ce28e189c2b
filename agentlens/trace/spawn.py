"""Starting processes from wherever the user is: a script, a notebook, a prompt."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["unseen_main"]


@contextmanager
def unseen_main() -> Iterator[None]:
    """Keep new processes from running the user's script again, guard or no guard.

    They need this package only; the standard library re-runs ``__main__`` for what it might define.
    """
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
