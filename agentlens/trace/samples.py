"""The sample traces that come with agentlens: their names, and where they lie."""

from __future__ import annotations

from pathlib import Path

from agentlens.errors import TraceError

__all__ = ["folder", "names", "path"]

_SUFFIXES = (".json", ".jsonl")


def folder() -> Path:
    """Return the folder of the samples: in the installed package, or beside it in a checkout.

    Raises
    ------
    TraceError
        If this installation has none.
    """
    package = Path(__file__).resolve().parents[1]
    for place in (package / "_data" / "sample_traces", package.parent / "sample_traces"):
        if place.is_dir():
            return place
    raise TraceError("the sample traces are not installed", source=str(package))


def names() -> list[str]:
    """Return the file names of the samples, the incident first."""
    found = sorted(p.name for p in folder().iterdir() if p.suffix in _SUFFIXES)
    return sorted(found, key=lambda name: name != "incident.jsonl")


def path(name: str) -> Path:
    """Return the path of a sample.

    Parameters
    ----------
    name
        One of `names`, with or without its suffix.

    Raises
    ------
    TraceError
        If there is none of that name.
    """
    for known in names():
        if name in (known, known.rpartition(".")[0]):
            return folder() / known
    raise TraceError(f"no sample {name!r}; there are {', '.join(names())}")
