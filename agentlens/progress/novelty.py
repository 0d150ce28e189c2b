"""What each round brought that was new to its thread: URLs and result lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.progress.results import lines
from agentlens.progress.urls import canonical, find_urls

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["Novelty", "round_novelty"]

#: Of a longer result only the beginning is read: enough to tell news, bounded in time.
MAX_RESULT = 200_000


@dataclass(frozen=True, slots=True)
class Novelty:
    """For each row of the rounds table, how many URLs and masked result lines were new."""

    urls: list[int]
    lines: list[int]


def round_novelty(trace: Trace) -> Novelty:
    """Count the URLs (canonical) and result lines (masked) that a thread had not seen before.

    What a thread had not seen in any earlier round, of any request, is new; cached on the trace.
    """
    key = "novelty"
    if key not in trace.cache:
        trace.cache[key] = _compute(trace)
    found: Novelty = trace.cache[key]
    return found


def _compute(trace: Trace) -> Novelty:
    results, threads = trace.tables["calls"]["result"], trace.tables["rounds"]["thread"]
    seen_urls: dict[str, set[str]] = {}
    seen_lines: dict[str, set[str]] = {}
    out = Novelty([], [])
    for row, calls in enumerate(trace.round_calls):
        texts = [results[call][:MAX_RESULT] for call in calls]
        for found, seen, counts in (
            ({canonical(url) for text in texts for url in find_urls(text)}, seen_urls, out.urls),
            ({line for text in texts for line in lines(text)}, seen_lines, out.lines),
        ):
            known = seen.setdefault(threads[row], set())
            counts.append(len(found - known))
            known |= found
    return out
