"""Whether runs are still like those on which a policy was set: tools, language, query length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from agentlens.progress.text import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agentlens.trace.model import Trace

__all__ = ["KINDS", "Shift", "Traits", "shifts", "traits_of"]

KINDS = ("tools", "language", "query length")
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Traits:
    """What one run looks like, whatever it brought.

    Attributes
    ----------
    tools
        Share of each tool among its calls.
    han
        Share of Chinese characters among the letters of its queries; None without queries.
    length
        Mean number of tokens of its queries; None without queries.
    """

    tools: dict[str, float]
    han: float | None
    length: float | None


@dataclass(frozen=True, slots=True)
class Shift:
    """How far two sets of runs differ in one respect.

    Attributes
    ----------
    kind
        One of `KINDS`.
    before, now
        Means of the runs it was set on and of the present ones; of tools their distance is 0
        (the same mix) to 1 (no tool in common), in `now`.
    p_value
        Of a permutation test, by run, that they do not differ; 1 where there is nothing to
        compare.
    found
        True where it is below 0.05, shared among the three kinds.
    new
        Tools that the runs before did not have.
    """

    kind: str
    before: float
    now: float
    p_value: float
    found: bool
    new: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "tools":
            what = f"{self.now:.0%} of the calls go to other tools"
            what += f" (new: {', '.join(self.new[:5])})" if self.new else ""
        elif self.kind == "language":
            what = f"Chinese in queries {self.before:.0%} before, {self.now:.0%} now"
        else:
            what = f"{self.before:.1f} tokens a query before, {self.now:.1f} now"
        return f"{self.kind}: {what}, p = {self.p_value:.2g}"


def traits_of(trace: Trace) -> Traits:
    """Return what a run looks like."""
    calls = trace.tables["calls"]
    counts = Counter(calls["tool"])
    queries = [query for each in calls["queries"] for query in each or ()]
    letters = [c for query in queries for c in query if c.isalpha()]
    return Traits(
        {tool: times / counts.total() for tool, times in counts.items()},
        mean("\u4e00" <= c <= "\u9fff" for c in letters) if letters else None,
        mean(len(tokenize(query)) for query in queries) if queries else None,
    )


def shifts(before: Iterable[Traits], now: Iterable[Traits], *, seed: int = 0) -> tuple[Shift, ...]:
    """Compare runs with those on which a policy was set, in every respect of `KINDS`.

    The test permutes whole runs, so that the calls of one run, which are alike, count once
    (Phipson and Smyth 2010 for the p-value of a permutation test).
    """
    old, new = list(before), list(now)
    tools = sorted({tool for one in (*old, *new) for tool in one.tools})
    known = {tool for one in old for tool in one.tools}
    rows = [[one.tools.get(tool, 0.0) for tool in tools] for one in (*old, *new)]
    strange = tuple(tool for tool in tools if tool not in known)
    found = [_compared("tools", rows[: len(old)], rows[len(old) :], seed, strange)]
    for kind, name in (("language", "han"), ("query length", "length")):
        one, other = (
            [[value] for traits in group if (value := getattr(traits, name)) is not None]
            for group in (old, new)
        )
        found.append(_compared(kind, one, other, seed))
    return tuple(found)


def _compared(
    kind: str, old: Sequence[Sequence[float]], new: Sequence[Sequence[float]], seed: int,
    strange: tuple[str, ...] = (),
) -> Shift:  # fmt: skip
    import numpy as np

    if not old or not new:
        return Shift(kind, 0.0, 0.0, 1.0, found=False, new=strange)
    data = np.array([*old, *new], dtype=float)
    marks = np.zeros(len(data))
    marks[len(old) :] = 1

    def distance(is_new: NDArray[np.float64]) -> float:
        gap = is_new @ data / len(new) - (1 - is_new) @ data / len(old)
        return float(np.abs(gap).sum())

    seen, rng = distance(marks), np.random.default_rng(seed)
    hits = sum(distance(rng.permutation(marks)) >= seen - 1e-12 for _ in range(_DRAWS))
    p_value = (hits + 1) / (_DRAWS + 1)
    if kind == "tools":
        then, there = 0.0, seen / 2
    else:
        then, there = float(np.mean(old)), float(np.mean(new))
    return Shift(kind, then, there, p_value, found=p_value < 0.05 / len(KINDS), new=strange)
