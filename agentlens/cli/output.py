"""What the command line prints: plain text that fits a terminal, secrets masked."""

from __future__ import annotations

import json
import math
import os
import sys
from numbers import Integral
from typing import TYPE_CHECKING, Any

from agentlens.errors import amount
from agentlens.figures.verdict import said_of
from agentlens.figures.view import view_of
from agentlens.progress.measures import score_text
from agentlens.widgets.escape import mask
from agentlens.widgets.plain import one_line, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentlens.breaker.replay import Replay
    from agentlens.trace.formats.about import About

__all__ = ["format_lines", "print_json", "replay_lines"]

#: More rounds than this are shown around the trip only, unless all are asked for.
FEW_ROUNDS = 40
AROUND = 12

_HEAD = {
    "en": ("round", "kind", "query", "score", "match", "count", "state", "new URLs", "seconds", ""),
    "zh": ("轮次", "类型", "查询", "得分", "匹配轮", "计数", "状态", "新网址", "秒", ""),
}
_KIND_ZH = {
    "search": "搜索", "mixed": "混合", "business": "其他", "message": "消息", "preamble": "开场",
    "copied": "重复", "retry": "重试",
}  # fmt: skip


def print_json(value: Any) -> None:
    """Print a value as JSON, Chinese as it is, and what JSON cannot hold as null."""
    text = json.dumps(_finite(value), ensure_ascii=False, indent=2, default=str)
    print(text.encode("utf-8", "replace").decode("utf-8"))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def format_lines(formats: Iterable[About]) -> list[str]:
    """Return the lines of the table of formats."""
    from agentlens.trace.formats.about import AMOUNTS

    rows = [
        (f.name, f.by.replace("`", ""), *("yes" * (a in f.holds) for a in AMOUNTS), f.tested)
        for f in formats
    ]
    head = ("format", "written by", *AMOUNTS, "tested against")
    return table(head, rows, limits={"tested against": 160})


def replay_lines(replay: Replay, lang: str, *, everything: bool = False) -> Iterator[str]:
    """Yield the lines of a replay: verdict, reason, what came after, notes, a table of rounds."""
    strong, weak, plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if _in_colour() else ("", "", "")
    said = said_of(view_of(replay), lang)
    yield strong + one_line(mask(said.verdict)) + plain
    for text in (said.reason, said.other, *_no_search(replay, lang)):
        if text:
            yield one_line(mask(text))
    for note in replay.trace.notes:
        yield one_line(mask(f"{'注' if lang == 'zh' else 'note'}: {note}"))
    yield ""
    rounds = len(replay.signals.kind)
    first, last = (0, rounds) if everything else _window(replay, rounds)
    head, rows = _cells(replay, first, last, lang)
    lines = table(head, rows, right=_RIGHT, limits=_LIMITS)
    yield lines[0]
    for line, flag in zip(lines[1:], replay.counterfactual[first:last], strict=True):
        yield weak + line + plain if flag else line
    if left := rounds - (last - first):
        yield (
            f"… 另有 {left} 轮；--all 全部列出" if lang == "zh"
            else f"… {amount(left, 'round')} more; --all prints them"
        )  # fmt: skip


_RIGHT = [*"round score match count seconds 轮 得分 匹配轮 计数 新网址 秒".split(), "new URLs"]
_LIMITS = {"query": 48, "查询": 48}


def _in_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _window(replay: Replay, rounds: int) -> tuple[int, int]:
    """Return the rows to show: all of a short run, of a long one those around the trip."""
    if rounds <= FEW_ROUNDS:
        return 0, rounds
    row = replay.trip.row if replay.trip else 0
    first = max(0, min(row - AROUND, rounds - 2 * AROUND))
    return first, first + 2 * AROUND


def _no_search(replay: Replay, lang: str) -> list[str]:
    """Say how to mark a search, where none is recognised."""
    if replay.signals.queries:
        return []
    if lang == "zh":
        return ["用 --search-tool 工具名 指明哪个工具是搜索"]
    return ["Say which tool is a search with --search-tool TOOL"]


def _cells(replay: Replay, first: int, last: int, lang: str) -> tuple[list[str], list[list[Any]]]:
    frame = replay.rounds.iloc[first:last]
    zh = lang == "zh"
    many = frame["thread"].nunique() > 1, frame["request"].nunique() > 1
    rows: list[list[Any]] = []
    for row in frame.to_dict("records"):
        had = isinstance(row["query"], str)
        num, den = row["score_num"], row["score_den"]
        score = score_text(num, den, replay.policy.measure) if had else None
        after = "（不会发生）" if zh else "would not have happened"
        cells = [
            row["round"],
            _KIND_ZH.get(row["kind"], row["kind"]) if zh else row["kind"],
            mask(row["query"]) if had else None,
            score,
            _whole(row["match_round"]),
            _whole(row["no_progress_count"]),
            row["state"],
            row["new_urls"] or None,
            f"{row['seconds']:.1f}" if row["seconds"] == row["seconds"] else None,
            after if row["counterfactual"] else None,
        ]
        before = [
            c
            for wanted, c in zip(many, (mask(row["thread"]), row["request"]), strict=True)
            if wanted
        ]
        rows.append([*before, *cells])
    names = ("线程", "请求") if zh else ("thread", "request")
    return [*(name for wanted, name in zip(many, names, strict=True) if wanted), *_HEAD[lang]], rows


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, Integral) else None
