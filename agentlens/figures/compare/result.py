"""`compare`: two runs aligned by their calls, or one run under two policies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlens.breaker.replay import Replay, replay
from agentlens.breaker.states import states
from agentlens.errors import TraceError
from agentlens.progress.align import align
from agentlens.progress.keys import call_keys
from agentlens.progress.results import digest
from agentlens.trace.model import Trace
from agentlens.trace.redact_trace import share_masker

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.breaker.policy import Policy

__all__ = ["Compared", "asked_of", "compare"]

_READ = 200_000  # characters of a result that are compared


@dataclass(frozen=True, eq=False)
class Compared:
    """Two replayed runs and how their calls stand beside each other.

    Attributes
    ----------
    a, b
        The two replays.
    steps
        In order, ``(place in a's calls table, place in b's)``; None where the other run has no
        such call. Between two calls in common those of `a` come first.
    """

    a: Replay
    b: Replay
    steps: tuple[tuple[int | None, int | None], ...]

    def __repr__(self) -> str:
        return (
            f"Compared({self.a.trace.name!r}, {self.b.trace.name!r}: {self.both} calls in both, "
            f"{self.only_a} only in a, {self.only_b} only in b)"
        )

    def __str__(self) -> str:
        return self.text()

    @property
    def one_run(self) -> bool:
        """Whether it is one run under two policies."""
        return self.a.trace is self.b.trace

    @cached_property
    def both(self) -> int:
        """How many calls both runs made."""
        return sum(a is not None and b is not None for a, b in self.steps)

    @property
    def only_a(self) -> int:
        """How many calls only `a` made."""
        return len(self.a.trace) - self.both

    @property
    def only_b(self) -> int:
        """How many calls only `b` made."""
        return len(self.b.trace) - self.both

    @cached_property
    def parts_at(self) -> int | None:
        """Step at which the runs part; None where they made the same calls."""
        return next((n for n, (a, b) in enumerate(self.steps) if a is None or b is None), None)

    @cached_property
    def same_result(self) -> tuple[bool | None, ...]:
        """For each step whether both got the same, times and ids aside; None without both."""
        one, other = (r.trace.tables["calls"]["result"] for r in (self.a, self.b))
        return tuple(
            None if a is None or b is None else _same(one[a], other[b]) for a, b in self.steps
        )

    @cached_property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """One mapping a step, with the keys of `calls`."""
        sides = {mark: _side(made) for mark, made in (("a", self.a), ("b", self.b))}
        rows = []
        for (a, b), same in zip(self.steps, self.same_result, strict=True):
            place = a if a is not None else b
            assert place is not None
            what = sides["a" if a is not None else "b"][place]
            row = {
                "in": "b" if a is None else "a" if b is None else "both",
                "tool": what["tool"], "asked": what["asked"], "same_result": same,
            }  # fmt: skip
            for mark, at in (("a", a), ("b", b)):
                side: Mapping[str, Any] = {} if at is None else sides[mark][at]
                for name in ("call", "thread", "round", "count", "state", "counterfactual"):
                    row[f"{name}_{mark}"] = side.get(name)
            rows.append(row)
        return tuple(rows)

    @property
    def calls(self) -> pd.DataFrame:
        """One row a step.

        Columns: in (both, a, b), tool, asked (query, target or arguments), same_result, and for
        each run call (from 1), thread, round, count, state, counterfactual, with ``_a`` and
        ``_b`` at their end; missing where the run has no such call.
        """
        import pandas as pd

        names = ("call", "thread", "round", "count", "state", "counterfactual")
        columns = [f"{name}_{mark}" for mark in "ab" for name in names]
        frame = pd.DataFrame(
            list(self.rows), columns=["in", "tool", "asked", "same_result", *columns], dtype=object
        )
        whole = {f"{name}_{mark}": "Int64" for mark in "ab" for name in ("call", "round")}
        return frame.astype({**whole, "in": "str", "same_result": "boolean"})

    def text(self, lang: str = "en") -> str:
        """Return in a few lines where each would have stopped and where they part."""
        from agentlens.figures.compare.text import text_of

        return text_of(self, lang)

    def _repr_html_(self) -> str:
        from agentlens.figures.compare.text import html_of

        return html_of(self)


def compare(
    a: Any, b: Any = None, policy: Policy | str | None = None, other: Policy | str | None = None
) -> Compared:
    """Align two runs by their calls, or set one run under two policies beside each other.

    Two calls are the same if their tools and arguments are, without arguments that carry no
    meaning (descriptions, timeouts); see `agentlens.progress.keys`. Nothing is learned from
    either run, so that equal calls have equal keys in both. The alignment is a longest common
    subsequence, exact at any length (`agentlens.progress.align`), and of rounds with calls only.

    Parameters
    ----------
    a, b
        Traces, replays, or what `agentlens.load` takes. Without `b` it is `a` twice.
    policy
        What both are replayed under; the default policy where none is given. A replay keeps its
        own where this is not given.
    other
        A policy for `b` alone.

    Raises
    ------
    TraceError
        If one of them cannot be read, or there is one run and one policy only.
    PolicyError
        If there is no such preset.

    Examples
    --------
    >>> import agentlens as al
    >>> def run(*queries):
    ...     return al.load([{"round": n, "tool": "search", "args": {"query": q}}
    ...                     for n, q in enumerate(queries, 1)])
    >>> made = al.compare(run("rain", "snow", "wind"), run("rain", "wind", "hail"))
    >>> made.both, made.only_a, made.only_b, made.parts_at
    (2, 1, 1, 1)
    """
    if b is None and other is None:
        raise TraceError("compare() takes two runs, or one run and two policies (policy, other)")
    first = _replayed(a, policy)
    other = policy if other is None else other
    second = _replayed(first.trace if b is None else b, other, beside=first.trace)
    if first.trace is second.trace:
        steps: list[tuple[int | None, int | None]] = [(n, n) for n in range(len(first.trace))]
    else:
        pairs = align(*(call_keys(made.trace, learn=False) for made in (first, second)))
        steps = _steps(pairs, len(first.trace), len(second.trace))
    return Compared(first, second, tuple(steps))


def _replayed(run: Any, policy: Policy | str | None, beside: Trace | None = None) -> Replay:
    from agentlens.trace.load import load

    if isinstance(run, Replay) and policy is None:
        return run
    run = run.trace if isinstance(run, Replay) else run
    if not isinstance(run, Trace):
        run = load(os.path.expanduser(run) if isinstance(run, str) else run)  # noqa: PTH111 - or a URL
    if beside is not None:
        share_masker(beside, run)
    return replay(run, policy)


def _steps(
    pairs: list[tuple[int, int]], calls_a: int, calls_b: int
) -> list[tuple[int | None, int | None]]:
    """Put the calls that stand alone between the pairs, those of `a` first."""
    steps: list[tuple[int | None, int | None]] = []
    i = j = 0
    for a, b in [*pairs, (calls_a, calls_b)]:
        steps += [(n, None) for n in range(i, a)]
        steps += [(None, n) for n in range(j, b)]
        if a < calls_a:
            steps.append((a, b))
        i, j = a + 1, b + 1
    return steps


def _same(one: str | None, other: str | None) -> bool:
    one, other = (one or "")[:_READ], (other or "")[:_READ]
    return one == other or digest(one) == digest(other)


def _side(made: Replay) -> list[dict[str, Any]]:
    """Return for each call of a run what a comparison says of it."""
    calls, rounds = made.trace.tables["calls"], made.trace.tables["rounds"]
    names, _ = states(made)
    counts = made.counts["query"]
    return [
        {
            "call": n + 1,
            "tool": calls["tool"][n],
            "asked": asked_of(calls, n),
            "thread": rounds["thread"][row],
            "round": rounds["round"][row],
            "count": counts[row],
            "state": names[row],
            "counterfactual": made.counterfactual[row],
        }
        for n, row in enumerate(calls["round_row"])
    ]


def asked_of(calls: Mapping[str, list[Any]], n: int) -> str:
    """Return what a call is about: its query, its target, or its arguments in brief."""
    said = calls["query"][n] or calls["target"][n]
    if said:
        return str(said)
    args = calls["args"][n]
    if not args:
        return str(calls["args_raw"][n] or "") if args is None else ""
    return ", ".join(f"{name}: {value}" for name, value in args.items())
