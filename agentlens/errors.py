"""The two errors that agentlens raises on purpose, and what their messages are made of."""

from __future__ import annotations

__all__ = ["PolicyError", "TraceError", "amount", "printable"]


def amount(number: int, noun: str) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> amount(1, "round"), amount(1200, "round")
    ('1 round', '1,200 rounds')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def printable(text: str) -> str:
    r"""Return a text on one line that moves no cursor and turns no line around.

    A message may name what a log holds. White space becomes one blank; other characters that do
    not print are written as Python writes them.

    Examples
    --------
    >>> printable("the key a\x1b[2J")
    'the key a\\x1b[2J'
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


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
        super().__init__(printable(said))


class PolicyError(ValueError):
    """A policy holds a value that it cannot hold; the message names the switch and its values."""
