"""The incident view: what the record says, five whys, the layers, a checklist, contradictions."""

from __future__ import annotations

from html import escape

from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.teach.incident import CHECKS, LAYERS, Incident, incident_of
from agentlens.teach.record import INCIDENT, Record
from agentlens.teach.two_by_two import incident
from agentlens.trace.redact import redact

__all__ = ["INCIDENT_VIEW"]

_CELL = "padding:4px 14px 4px 0;text-align:left;vertical-align:top;"
_MARKS = {"pass": ("✓", "completed"), "fail": ("✕", "failed"), "unknown": ("?", "muted")}
_TOPICS = ("input", "results", "queries", "fix", "trip")


def _seen(values: Values) -> Incident:
    trace = values.get("trace")
    record = values.get("record") or (None if trace else INCIDENT)
    return incident_of(
        trace or incident(), record, prompt=str(values["prompt"]), stress=str(values["stress"]),
        intent=str(values["intent"]),
    )  # fmt: skip


def _draw(page: Page, values: Values) -> str:
    seen = _seen(values)
    counts = {mark: [seen.checks[c] for c in CHECKS].count(mark) for mark in _MARKS}
    point = page.say("incident_point", failed=counts["fail"], passed=counts["pass"],
                     unknown=counts["unknown"])  # fmt: skip
    parts = [
        _record(page, seen.record),
        _heading(page, "incident_whys"), _whys(page, seen),
        _heading(page, "incident_layers"), _layers(page, seen),
        _heading(page, "incident_checks"), _checks(page, seen),
    ]  # fmt: skip
    if not values.get("trace"):
        parts += [_heading(page, "incident_two_stories"), _stories(page)]
    return page.frame("incident", point, "".join(parts))


def _heading(page: Page, key: str) -> str:
    return f'<div style="font-weight:600;margin:12px 0 2px">{page.say(key)}</div>'


def _table(rows: list[list[str]], head: list[str] | None = None) -> str:
    top = ""
    if head:
        cells = "".join(f'<th style="{_CELL}font-weight:400">{cell}</th>' for cell in head)
        top = f"<thead><tr>{cells}</tr></thead>"
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    look = "border-collapse:collapse;font-size:13px"
    return f'<table style="{look}">{top}<tbody>{body}</tbody></table>'


def _known(value: object) -> str:
    return "–" if value is None else escape(redact(str(value))[:200])


def _record(page: Page, record: Record) -> str:
    rounds = f"{_known(record.rounds)} / {_known(record.max_rounds)}"
    seconds = "–" if record.seconds is None else f"{record.seconds:.3f} s"
    told = (
        ("query", _known(record.user_query)), ("outcome", _known(record.outcome)),
        ("rounds", rounds), ("tools", _known(record.tool_calls)),
        ("models", _known(record.llm_calls)), ("seconds", seconds),
    )  # fmt: skip
    muted = page.colour("muted")
    return '<div style="margin:4px 0">' + " &nbsp; ".join(
        f'<span style="color:{muted}">{page.say(f"record_{name}")}</span> {value}'
        for name, value in told
    ) + "</div>"  # fmt: skip


def _mark(page: Page, verdict: str) -> str:
    sign, colour = _MARKS[verdict]
    said = page.say(f"verdict_{verdict}")
    return (
        f'<span style="white-space:nowrap;font-weight:600;color:{page.colour(colour)}" '
        f'data-verdict="{verdict}">{sign} {said}</span>'
    )


def _whys(page: Page, seen: Incident) -> str:
    trip = seen.replay.trip
    ends = {True: "limit", False: "own", None: "unknown"}[seen.record.at_limit]
    lines = [
        page.say(f"why_1_{ends}", rounds=seen.record.rounds or 0),
        page.say("why_2", searches=seen.searches),
        page.say("why_3" if trip else "why_3_none", round=trip.round if trip else 0),
        page.say("why_4_empty" if seen.empty else "why_4", n=len(seen.empty),
                 calls=page.comma.join(map(str, seen.empty[:8]))),
        page.say(f"why_5_{seen.checks['honest']}"),
    ]  # fmt: skip
    if seen.intent != "unknown":
        lines.append(page.say(f"why_intent_{seen.intent}"))
    return _table([[f"{n}", line] for n, line in enumerate(lines, 1)])


def _layers(page: Page, seen: Incident) -> str:
    rows = [
        [page.say(f"layer_{layer}"), page.say(f"layer_{layer}_does"),
         _mark(page, seen.checks[check]), page.say(f"layer_{layer}_blind")]
        for layer, check in LAYERS
    ]  # fmt: skip
    keys = ("layer_head", "layer_head_does", "layer_head_there", "layer_head_blind")
    return _table(rows, [page.say(key) for key in keys])


def _checks(page: Page, seen: Incident) -> str:
    return _table([
        [_mark(page, seen.checks[check]), page.say(f"check_{check}_asks"),
         f'<span style="color:{page.colour("muted")}">{page.say(f"check_{check}_how")}</span>']
        for check in CHECKS
    ])  # fmt: skip


def _stories(page: Page) -> str:
    rows = [
        [page.say(f"story_{topic}"), page.say(f"story_{topic}_sister"),
         page.say(f"story_{topic}_first")]
        for topic in _TOPICS
    ]  # fmt: skip
    head = [page.say(key) for key in ("story_head", "story_head_sister", "story_head_first")]
    return _table(rows, head)


def _act(page: Page, _values: Values, _name: str) -> str:
    return page.say("own_loaded")


_VERDICTS = ("unknown", "pass", "fail")

INCIDENT_VIEW = Scene(
    "incident",
    _draw,
    (
        Control("path", "text", ""),
        Control("load", "act"),
        Control("prompt", "text", ""),
        Control("stress", "choice", "unknown", options=_VERDICTS),
        Control("intent", "choice", "unknown", options=("unknown", "same", "other")),
    ),
    act=_act,
)
