"""What an answer says again of the question is no news: “no results for …”, in other words."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ECHO", "without_echo"]

#: What stands for the question.
ECHO = "<query>"
#: So many characters of the question's beginning show that it is repeated: tools cut long ones.
_HEAD = 8
_LEAST = 2


def without_echo(line: str, queries: Iterable[str]) -> str:
    """Return a line of an answer with what it repeats of the question taken out.

    A query is found where it is repeated from its beginning, as far as it goes on; white space
    counts as one space, as in the lines of `agentlens.progress.results`.

    Parameters
    ----------
    line
        A line of a result.
    queries
        What its call asked for; of one character they say nothing.

    Examples
    --------
    >>> without_echo("Nothing found for: heat pump cost Mun…", ["heat pump cost Munich"])
    'Nothing found for: <query>…'
    """
    asked = sorted((" ".join(query.split()) for query in queries), key=len, reverse=True)
    for query in asked:
        if len(query) >= _LEAST:
            line = _without(line, query)
    return line


def _without(line: str, query: str) -> str:
    head = query[:_HEAD]
    at = line.find(head)
    if at < 0:
        return line
    pieces, done = [], 0
    while at >= 0:
        end = at + len(head)
        while end < len(line) and end - at < len(query) and line[end] == query[end - at]:
            end += 1
        pieces += [line[done:at], ECHO]
        done = end
        at = line.find(head, done)
    return "".join(pieces) + line[done:]
