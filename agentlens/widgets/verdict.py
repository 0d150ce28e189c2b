"""A replay in one sentence, and the honest other half: what the later rounds brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens.breaker.classic import COUNT
from agentlens.breaker.words import duration
from agentlens.progress.novelty import round_novelty

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.breaker.trip import Trip

__all__ = ["later_rounds", "saved_words", "verdict"]


def saved_words(trip: Trip, lang: str = "en") -> str:
    """Say what a trip would have saved: `3 rounds, 21.5 s`."""
    zh = lang == "zh"
    rounds = trip.saved_rounds
    parts = [f"{rounds} 轮" if zh else f"{rounds} round{'s' * (rounds != 1)}"]
    if trip.saved_seconds is not None:
        parts.append(duration(trip.saved_seconds))
    if trip.saved_tokens is not None:
        parts.append(f"{trip.saved_tokens:,} {'个词元' if zh else 'tokens'}")
    if trip.saved_cost is not None:
        parts.append(f"${trip.saved_cost:.2f}")
    return ("、" if zh else ", ").join(parts)


def verdict(replay: Replay, lang: str = "en") -> str:
    """Say in one sentence where the policy would have stopped the run, or how close it came."""
    zh, trip = lang == "zh", replay.trip
    rounds = replay.trace.tables["rounds"]
    if trip is not None:
        total = max(
            r for r, t in zip(rounds["round"], rounds["thread"], strict=True) if t == trip.thread
        )
        where = ""
        if len(replay.trace.tables["threads"]["thread"]) > 1:
            where = f"（{trip.thread}）" if zh else f" in {trip.thread}"
        if zh:
            saved = saved_words(trip, lang)
            return f"本可在第 {trip.round} 轮之前停下（共 {total} 轮）{where}。可省：{saved}。"
        return (
            f"Would have stopped before round {trip.round} of {total}{where}. "
            f"Saved: {saved_words(trip)}."
        )
    if not replay.policy.enabled:
        return (
            "策略已关闭：不计数，也不会停下。" if zh else "The policy is off: nothing is counted."
        )
    if not replay.signals.queries:
        return (
            "这次运行中没有识别出搜索，因此没有计数。" if zh
            else "No search is recognised in this run, so nothing is counted."
        )  # fmt: skip
    return ("不会停下。" if zh else "Would not have stopped. ") + _nearest(replay, lang)


def _nearest(replay: Replay, lang: str) -> str:
    threshold, rounds = replay.policy.threshold, replay.trace.tables["rounds"]["round"]
    counts = replay.counts["query"]
    best, row = max(
        (
            (count or 0, -row)
            for row, count in enumerate(counts)
            if replay.signals.role[row] == COUNT
        ),
        default=(0, 0),
    )
    if lang == "zh":
        at = f"（第 {rounds[-row]} 轮）" if best else ""
        return f"最接近：计数 {best}/{threshold}{at}。"
    at = f" at round {rounds[-row]}" if best else ""
    return f"Closest: count {best} of {threshold}{at}."


def later_rounds(replay: Replay, lang: str = "en") -> str:
    """Say what the rounds from the earliest trip on brought; empty without a trip."""
    trip = replay.trip
    if trip is None:
        return ""
    rows = next(rows for rows in replay.signals.sequences if trip.row in rows)
    novelty = round_novelty(replay.trace)
    rows = rows[rows.index(trip.row) :]
    urls, lines = (sum(column[row] for row in rows) for column in (novelty.urls, novelty.lines))
    zh = lang == "zh"
    parts = []
    if urls:
        parts.append(f"{urls} 个新网址" if zh else f"{urls} new URL{'s' * (urls != 1)}")
    if lines:
        parts.append(f"{lines} 行新结果" if zh else f"{lines} new result line{'s' * (lines != 1)}")
    if zh:
        return f"后面这些轮带来了：{'、'.join(parts) or '没有新内容'}。"
    return f"What the later rounds brought: {', '.join(parts) or 'nothing new'}."
