"""Scene 5: a reader types queries that fool the guard, and learns what closes each hole."""

from __future__ import annotations

from html import escape
from typing import Any

from agentlens.figures.lesson.bags import chips, ordered
from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.progress.text import tokenize
from agentlens.teach.holes import HOLES, Attempt, attempt

__all__ = ["BREAK_IT"]


def _tried(values: Values) -> Attempt:
    return attempt(str(values["first"]), str(values["second"]), values["same"] == "same")


def _keep(values: Values) -> dict[str, Any]:
    found = set(values.get("found", ())) | set(_tried(values).holes)
    return {"found": tuple(h.name for h in HOLES if h.name in found)}


def _draw(page: Page, values: Values) -> str:
    tried = _tried(values)
    found = _keep(values)["found"]
    said = page.word("game_similar" if tried.similar else "game_different")
    score = f"{tried.num}/{tried.den}"
    if tried.holes:
        names = page.comma.join(page.word(f"hole_{name}") for name in tried.holes)
        point = page.say("game_point_fooled", said=said, score=score, hole=names)
    else:
        point = page.say("game_point_right", said=said, score=score)
    one, other = (tokenize(text, "classic@1") for text in (tried.first, tried.second))
    bags = "".join(
        f'<div style="margin:0 0 2px">{chips(page, ordered(text, tokens), one & other)}'
        f'<span style="color:{page.colour("muted")}"> {escape(text[:60])}</span></div>'
        for tokens, text in ((one, tried.first), (other, tried.second))
    )
    score_line = page.paragraph("game_score", n=len(found), of=len(HOLES))
    return page.frame("game", point, page.paragraph("game_prose") + bags + score_line
                      + _board(page, found, bool(values["reveal"])))  # fmt: skip


def _board(page: Page, found: tuple[str, ...], reveal: bool) -> str:
    cell = "padding:3px 14px 3px 0;text-align:left;vertical-align:top;"
    heads = ("game_head_hole", "game_head_golden", "game_head_layer")
    head = "".join(
        f'<th style="{cell}font-weight:400;color:{page.colour("muted")}">{page.say(key)}</th>'
        for key in ("game_head_found", *heads)
    )
    rows = ""
    for hole in HOLES:
        here = hole.name in found
        mark = '<span style="font-weight:600">●</span>'
        switch = page.word("game_rule_novelty") if hole.layer == "novelty" else hole.layer
        example = escape(" · ".join(hole.example)) if here or reveal else ""
        way = page.say("game_way_same" if hole.same else "game_way_different")
        look = "font-size:12px;background:none;white-space:nowrap"
        code = f'<code style="{look}">{escape(switch)}</code>'
        layer = f"{page.say(f'game_by_{hole.name}')} ({code})"
        rows += (
            f'<tr data-hole="{hole.name}" data-found="{str(here).lower()}">'
            f'<td style="{cell}">{mark if here else "○"}</td>'
            f'<td style="{cell}">{page.say(f"hole_{hole.name}")} '
            f'<span style="color:{page.colour("muted")}">{way}<br>{example}</span></td>'
            f'<td style="{cell}white-space:nowrap">{escape(hole.golden)}</td>'
            f'<td style="{cell}">{layer}</td></tr>'
        )
    return (
        '<table style="border-collapse:collapse;font-size:13px;margin:4px 0 8px"><thead><tr>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


BREAK_IT = Scene(
    "game",
    _draw,
    (
        Control("first", "text", "苹果公司2022年财报"),
        Control("second", "text", "苹果公司2023年财报"),
        Control("same", "choice", "different", options=("different", "same")),
        Control("reveal", "flag", True),
    ),
    keep=_keep,
)
