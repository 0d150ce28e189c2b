"""A progress bar, only where it helps: several files, and someone who watches."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["progress_bar", "tell_failures"]

#: With fewer files than this a bar is only noise.
_HANDFUL = 8
#: So many files that could not be read are named; `Corpus.failures` has them all.
_SHOWN = 10


def _watched() -> bool:
    """Say whether output goes to a terminal or a notebook."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return type(found).__name__ == "ZMQInteractiveShell"


def progress_bar(items: Sequence[Any], wanted: bool, unit: str = "file") -> Iterable[Any]:
    """Return the items, wrapped in a progress bar where `wanted` and useful."""
    if not wanted or len(items) <= _HANDFUL or not _watched():
        return items
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns where a notebook has no ipywidgets
        from tqdm.auto import tqdm
    bar: Iterable[Any] = tqdm(items, unit=unit, leave=False)
    return bar


def tell_failures(failures: Sequence[tuple[str, str]], files: int) -> None:
    """List what could not be read on standard error, where someone watches."""
    if not failures or files <= 1 or not _watched():
        return
    print(f"{len(failures)} could not be read:", file=sys.stderr)
    for source, error in failures[:_SHOWN]:
        said = error if error.startswith(source) else f"{source}: {error}"
        print("  " + "".join(c if c.isprintable() else "?" for c in said), file=sys.stderr)
    if len(failures) > _SHOWN:
        print(f"  … {len(failures) - _SHOWN} more in corpus.failures", file=sys.stderr)
