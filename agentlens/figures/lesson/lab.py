"""The token lab: two queries pulled apart, five tokenisers by four measures, verdicts beside."""

from __future__ import annotations

from html import escape
from typing import Any

from agentlens.figures.lesson.bags import chips, ordered
from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.progress.measures import MEASURES, value_of
from agentlens.teach.token_lab import FAILURES, Cut, compare

__all__ = ["LAB"]

_MOST = 40  # tokens shown of one query
_CELL = "padding:4px 12px 4px 0;text-align:left;vertical-align:top;"


def _settle(old: Values, new: Values) -> dict[str, Any]:
    """Let a chosen example fill the fields; typing makes the pair the reader's own."""
    if new["example"] != old["example"]:
        chosen = next((f for f in FAILURES if f.name == new["example"]), None)
        return {**new, "first": chosen.first, "second": chosen.second} if chosen else dict(new)
    typed = any(new[name] != old[name] for name in ("first", "second"))
    return {**new, "example": "own"} if typed else dict(new)


def _draw(page: Page, values: Values) -> str:
    cuts = compare(str(values["first"]), str(values["second"]))
    verdicts = [cut.similar(m) for cut in cuts if not cut.missing for m in MEASURES]
    point = page.say("lab_point", same=sum(verdicts), of=len(verdicts))
    head = "".join(
        f'<th style="{_CELL}font-weight:400;color:{page.colour("muted")}">{said}</th>'
        for said in (page.say("lab_tokens"), *(page.say(f"measure_{m}") for m in MEASURES))
    )
    first, second = str(values["first"]), str(values["second"])
    rows = "".join(_row(page, cut, first, second) for cut in cuts)
    table = (
        '<table style="border-collapse:collapse;font-size:13px;margin:4px 0 8px"><thead><tr>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return page.frame("lab", point, page.paragraph("lab_prose") + table, after=_failures(page))


def _row(page: Page, cut: Cut, first: str, second: str) -> str:
    name = f'<code style="font-size:12px;background:none">{escape(cut.tokeniser)}</code>'
    if cut.missing:
        said = page.say("lab_missing", why=cut.missing)
        return (
            f'<tr><td style="{_CELL}">{name}</td><td style="{_CELL}" colspan="4">{said}</td></tr>'
        )
    both = cut.first & cut.second
    bags = "".join(
        f'<div style="margin-top:2px">{chips(page, ordered(text, tokens)[:_MOST], both)}</div>'
        for text, tokens in ((first, cut.first), (second, cut.second))
    )
    cells = "".join(
        f'<td style="{_CELL}white-space:nowrap" data-cell="{cut.tokeniser} {m}">'
        f"{_score(page, cut, m)}</td>"
        for m in MEASURES
    )
    return f'<tr><td style="{_CELL}">{name}{bags}</td>{cells}</tr>'


def _score(page: Page, cut: Cut, measure: str) -> str:
    num, den = cut.scores[measure]
    text = f"√({num}/{den})" if measure == "cosine" else f"{num}/{den}"
    value = value_of(num, den, measure)
    said = page.say("lab_same" if cut.similar(measure) else "lab_other")
    look = "font-weight:600" if cut.similar(measure) else ""
    return (
        f'<div style="{look}">{value:.3f}</div>'
        f'<div style="color:{page.colour("muted")};font-size:12px">{text}<br>{said}</div>'
    )


def _failures(page: Page) -> str:
    rows = ""
    for failure in FAILURES:
        num, den = failure.cut.scores[failure.measure]
        texts = (
            f"{failure.first} · {failure.second}",
            f"{failure.tokeniser}, {page.word(f'measure_{failure.measure}')} {num}/{den}",
            page.word(f"lab_fail_{failure.name}"),
            failure.golden,
        )
        cells = "".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in texts)
        rows += f'<tr data-failure="{failure.name}">{cells}</tr>'
    return (
        f"{page.paragraph('lab_failures')}"
        '<table style="border-collapse:collapse;font-size:12px;margin:0 0 8px"><tbody>'
        f"{rows}</tbody></table>"
    )


LAB = Scene(
    "lab",
    _draw,
    (
        Control("first", "text", FAILURES[0].first),
        Control("second", "text", FAILURES[0].second),
        Control("example", "choice", FAILURES[0].name,
                options=("own", *(failure.name for failure in FAILURES))),
    ),
    settle=_settle,
)  # fmt: skip
