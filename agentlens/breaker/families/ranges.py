"""Which parts of a file were read already, from the ranges that calls ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall

__all__ = ["Ranges", "range_of"]

_FIRST = ("offset", "start", "start_line", "line_start", "from_line", "from", "startLine",
          "first_line", "start_line_one_indexed", "begin")  # fmt: skip
_LAST = ("end", "end_line", "line_end", "to_line", "to", "endLine", "last_line",
         "end_line_one_indexed_inclusive")  # fmt: skip
_SIZE = ("limit", "count", "num_lines", "lines", "length", "n_lines", "max_lines", "size")


def _number(args: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = args.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
            return int(value)
    return None


def range_of(call: SeenCall) -> tuple[int, int | None] | None:
    """Return where a read begins and, if it says so, ends (exclusive); None for a whole file."""
    args = call.args
    if not args or call.effect != "read":
        return None
    pair = args.get("view_range") or args.get("range")
    if isinstance(pair, list) and len(pair) == 2 and all(isinstance(v, int) for v in pair):
        return (pair[0], pair[1] + 1 if pair[1] >= pair[0] else None)
    first = _number(args, _FIRST)
    if first is None:
        return None
    last, size = _number(args, _LAST), _number(args, _SIZE)
    if last is not None and last >= first:
        return first, last + 1
    return first, first + size if size else None


class Ranges:
    """Ranges read of each file, since it was last written and the context last cut.

    A read that names no end reaches as far as the usual step from one read of the file to the
    next. Reads of a whole file count for nothing: looking closer afterwards is ordinary work.
    """

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], list[tuple[int, int | None]]] = {}
        self._steps: dict[tuple[str, str], dict[int, int]] = {}

    def covers(self, call: SeenCall) -> bool:
        """Say whether all that a read asks for was read before."""
        asked, place = range_of(call), (call.tool, call.target)
        past = self._read.get(place)
        if asked is None or not past:
            return False
        step = self._step(place)
        first, last = asked
        last = last if last is not None else first + step if step else None
        if last is None:
            return False
        at = first
        spans = sorted((a, b if b is not None else a + (step or 0)) for a, b in past)
        for begin, end in spans:
            if begin > at:
                return False
            at = max(at, end)
            if at >= last:
                return True
        return False

    def add(self, call: SeenCall) -> None:
        """Remember a read; a write forgets what was read of its file."""
        if call.effect == "write":
            for place in [p for p in self._read if p[1] == call.target]:
                del self._read[place]
            return
        asked, place = range_of(call), (call.tool, call.target)
        if asked is None:
            return
        past = self._read.setdefault(place, [])
        if past and asked[0] > past[-1][0]:
            steps = self._steps.setdefault(place, {})
            step = asked[0] - past[-1][0]
            steps[step] = steps.get(step, 0) + 1
        past.append(asked)
        if len(past) > 400:  # a file read so often is a loop by other signs
            del past[:200]

    def clear(self) -> None:
        """Forget what was read: the context was cut."""
        self._read.clear()

    def _step(self, place: tuple[str, str]) -> int | None:
        steps = self._steps.get(place)
        return max(steps, key=lambda s: (steps[s], -s)) if steps else None
