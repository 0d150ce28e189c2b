"""Scene 8: the two by two on a recorded run, the incident's or the reader's own."""

from __future__ import annotations

import re

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import Replay
from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import WIDTH, hatch, line, picture, rect, words
from agentlens.progress.measures import at_least
from agentlens.teach.two_by_two import Cell, TwoByTwo, incident, suggested, two_by_two
from agentlens.trace.model import Trace

__all__ = ["OWN", "rows_of"]

_MOST = 400  # rounds that are drawn
_ORDER = ((False, False), (True, False), (False, True), (True, True))


def rows_of(trace: Trace, text: str) -> tuple[int, ...]:
    """Return the rows of rounds that a reader named: ``1-3, 5``; numbers of no round are left."""
    wanted: set[int] = set()
    for low, high in re.findall(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?", text):
        wanted |= set(range(int(low), min(int(high or low), int(low) + 10_000) + 1))
    numbers = trace.tables["rounds"]["round"]
    return tuple(row for row, number in enumerate(numbers) if number in wanted)


def _grid(values: Values) -> TwoByTwo:
    trace = values.get("trace") or incident()
    policy = Policy.preset("classic", threshold=int(values["threshold"]))
    text = str(values["useless"])
    marked = rows_of(trace, text) if text.strip() else suggested(trace, policy)
    key = ("two_by_two", policy.threshold, marked)
    if key not in trace.cache:
        trace.cache[key] = two_by_two(trace, policy, marked)
    found: TwoByTwo = trace.cache[key]
    return found


def _draw(page: Page, values: Values) -> str:
    grid = _grid(values)
    off, search, breaker = (grid[key] for key in _ORDER[:3])
    key = "own_point" if off.diverges else "own_point_calm"
    if off.diverges and values.get("trace"):
        key = "own_point_own"  # whether that run met a limit its log need not say
    point = page.say(key, off=off.rounds, search=search.rounds, breaker=breaker.rounds)
    parts = [hatch("al-own", "currentColor")]
    longest = max(1, min(_MOST, off.rounds))
    for place, which in enumerate(_ORDER):
        parts += _bar(page, 14 + 62 * place, grid, grid[which], longest)
    numbers = off.replay.trace.tables["rounds"]["round"]
    marked = page.comma.join(str(numbers[row]) for row in grid.useless[:20])
    after = page.paragraph("own_marked", rounds=marked or "–")
    answer = str(values.get("answer", "none"))
    if answer != "none":
        after += page.paragraph(f"own_answer_{answer}")
    if breaker.rounds > search.rounds:
        after += page.paragraph("own_fewer", search=search.rounds, breaker=breaker.rounds)
    after += page.paragraph("own_result") + page.paragraph("own_result_not")
    prose = "own_prose_own" if values.get("trace") else "own_prose"
    drawing = picture(262, parts, page.word("own_label"))
    return page.frame("own", point, page.paragraph(prose) + drawing, after=after)


def _repeats(found: Replay, row: int) -> bool:
    """Return whether a round asks again what an earlier one of its request asked."""
    signals, policy = found.signals, found.policy
    query = signals.query[row]
    if query < 0 or signals.scored.match[query] < 0:
        return False
    num, den = signals.num[row], signals.den[row]
    return at_least(num, den, policy.similarity, policy.measure, policy.strict)


def _bar(page: Page, y: float, grid: TwoByTwo, cell: Cell, longest: int) -> list[str]:
    trigger, amplifier, trip = (page.colour(c) for c in ("trigger", "amplifier", "trip"))
    name = page.word(f"own_{'fixed' if cell.fixed else 'bad'}_{'on' if cell.breaker else 'off'}")
    amount = page.word("own_rounds", n=cell.rounds)
    if cell.seconds is not None:
        amount += page.comma + f"{cell.seconds + 1e-9:.1f} s"
    verdict = page.word("own_diverges" if cell.diverges else "own_ends")
    parts = [
        words(8, y + 6, name, bold=True),
        words(WIDTH - 8, y + 6, f"{amount} · {verdict}", anchor="end",
              fill=trip if cell.diverges else page.colour("muted")),
    ]  # fmt: skip
    found = cell.replay
    done = [r for r, kind in enumerate(found.signals.kind)
            if kind in ("search", "mixed", "retry", "business")][:_MOST]  # fmt: skip
    step = min(60.0, (WIDTH - 16) / longest)
    useless = set() if cell.fixed else set(grid.useless)
    for place, row in enumerate(done):
        x, gap = 8 + step * place, 2 if step > 8 else 0
        gone = cell.breaker and found.counterfactual[row]
        colour = trigger if row in useless else page.colour("muted")
        parts.append(rect(x, y + 14, step - gap, 24, "url(#al-own)" if gone else colour,
                          opacity=1 if gone else 0.55, radius=2 if gap else 0))  # fmt: skip
        if not gone and _repeats(found, row):  # a frame, or where there is no room a stripe
            inset = 1 if gap else 0
            parts.append(rect(x + inset, y + (15 if gap else 34), step - gap - 2 * inset,
                              22 if gap else 4, "none" if gap else amplifier,
                              stroke=amplifier if gap else "", thick=2))  # fmt: skip
        if step > 24:
            number = found.trace.tables["rounds"]["round"][row]
            parts.append(words(x + step / 2 - 1, y + 31, str(number), anchor="middle"))
        if cell.breaker and found.trip and found.trip.row == row:
            parts.append(line(x - 1, y + 10, x - 1, y + 42, trip, thick=2))
    return parts


def _act(page: Page, _values: Values, _name: str) -> str:
    return page.say("own_loaded")


def _shown(page: Page, values: Values) -> dict[str, str]:
    return {"threshold": page.word("shown_k", k=int(values["threshold"]))}


OWN = Scene(
    "own",
    _draw,
    (
        Control("path", "text", ""),
        Control("load", "act"),
        Control("useless", "text", "", role="trigger"),
        Control("threshold", "range", 2, 1, 5, 1, role="amplifier"),
    ),
    shown=_shown,
    act=_act,
)
