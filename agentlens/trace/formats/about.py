"""What is known of every format: who writes it, what it can hold, what it was tested against.

The facts stand in ``formats.toml`` beside the readers and nowhere else; ``recorded.toml`` is made
from the table of the recorders; what a format is, in words, is the first line of its reader's
docstring.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentlens.errors import amount
from agentlens.trace.formats import FORMATS, get
from agentlens.trace.model import Trace

__all__ = ["AMOUNTS", "About", "about", "held_by"]

#: What a log can hold beside its calls.
AMOUNTS = ("times", "tokens", "cost", "threads")


@dataclass(frozen=True, slots=True)
class About:
    """What is known of one format.

    Parameters
    ----------
    name
        As `agentlens.load` takes and reports it.
    by
        Who writes such logs.
    holds
        Which of `AMOUNTS` its logs can hold.
    real
        How many files of real runs were read.
    recorded
        Libraries that wrote files of the tests, each with its version.
    example
        True where the tests hold a file that was written by the schema.
    """

    name: str
    by: str
    holds: tuple[str, ...]
    real: int = 0
    recorded: tuple[tuple[str, str], ...] = ()
    example: bool = False

    @property
    def what(self) -> str:
        """What the format is, in one sentence."""
        return (get(self.name).__doc__ or "").strip().splitlines()[0].rstrip(".")

    @property
    def tested(self) -> str:
        """What its reader was tested against, in words."""
        parts = [f"{amount(self.real, 'real file')}"] if self.real else []
        if self.recorded:
            parts.append("recorded with " + ", ".join(f"{n} {v}" for n, v in self.recorded))
        if self.example:
            parts.append("written by the schema")
        return "; ".join(parts) or "sample traces"

    def to_dict(self) -> dict[str, object]:
        """Return the same as plain values, ready for JSON."""
        return {
            "format": self.name, "what": self.what.replace("``", "`"), "by": self.by,
            "holds": list(self.holds), "real_files": self.real, "recorded": dict(self.recorded),
            "by_schema": self.example,
        }  # fmt: skip


@cache
def about() -> Mapping[str, About]:
    """Return what is known of every registered format, by its name.

    Raises
    ------
    KeyError
        If a format has no entry.
    """
    facts, recorded = (
        tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
        for name in ("formats", "recorded")
    )
    return {
        name: About(
            name,
            facts[name]["by"],
            tuple(facts[name]["holds"]),
            facts[name].get("real", 0),
            tuple(recorded.get(name, {}).items()),
            facts[name].get("example", False),
        )
        for name in sorted(FORMATS)
    }


def held_by(trace: Trace) -> frozenset[str]:
    """Return which of `AMOUNTS` a trace holds.

    Examples
    --------
    >>> import agentlens as al
    >>> sorted(held_by(al.load([{"round": 1, "tool": "ls", "seconds": 2.5, "tokens": 10}])))
    ['times', 'tokens']
    """
    rounds, calls, threads = (trace.tables[name] for name in ("rounds", "calls", "threads"))
    cells = {
        "times": (rounds["started"], rounds["seconds"], calls["started"], calls["seconds"]),
        "tokens": (rounds["tokens"], calls["tokens"]),
        "cost": (rounds["cost"], calls["cost"]),
        "threads": (threads["thread"][1:],),
    }
    return frozenset(
        name
        for name, columns in cells.items()
        if any(c is not None for col in columns for c in col)
    )
