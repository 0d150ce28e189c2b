"""The two errors that agentlens raises on purpose."""

from __future__ import annotations

__all__ = ["PolicyError", "TraceError"]


class TraceError(ValueError):
    """A trace cannot be read.

    Parameters
    ----------
    message
        What is wrong, and what was expected.
    source
        The file (or other source) that it concerns.
    line
        1-based line in that file, where there is one.

    Notes
    -----
    ``str(error)`` is one line: ``source, line N: message``.
    """

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None):
        self.message = message
        self.source = source
        self.line = line
        place = source or ""
        if line is not None:
            place += f"{', ' if place else ''}line {line}"
        said = f"{place}: {message}" if place else message
        super().__init__(" ".join(said.splitlines()))


class PolicyError(ValueError):
    """A policy holds a value that it cannot hold; the message names the switch and its values."""
