"""A comparison in words: where each run would have stopped, where they part, what differs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.breaker.states import states
from agentlens.breaker.words import language
from agentlens.figures.compare.ribbon import ribbon
from agentlens.figures.verdict import said_of
from agentlens.figures.view import View, view_of
from agentlens.figures.words import fill, load_words

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.figures.compare.result import Compared

__all__ = ["counts_of", "html_of", "text_of", "verdicts_of", "word"]

_WORDS = load_words("agentlens.figures.compare")


def word(lang: str, key: str, **values: Any) -> str:
    """Fill a template of ``words.toml``."""
    return fill(_WORDS[language(lang)][key], values)


def text_of(made: Compared, lang: str = "en") -> str:
    """Return a comparison as a few lines of plain text, secrets masked."""
    lines = []
    for head, verdict in verdicts_of(made, lang):
        lines += [head, f"  {verdict}"]
    return "\n".join([*lines, *counts_of(made, lang)])


def verdicts_of(made: Compared, lang: str = "en") -> list[tuple[str, str]]:
    """Return for each run its name with its policy, and its verdict."""
    said = []
    for mark, one in (("A", made.a), ("B", made.b)):
        view = view_of(one)
        head = word(
            lang, "head", mark=mark, name=view.masked(one.trace.name, 120),
            policy=view.masked(one.policy.name, 60),
        )  # fmt: skip
        said.append((head, said_of(view, lang).verdict))
    return said


def counts_of(made: Compared, lang: str = "en") -> list[str]:
    """Return what the runs share, where they part, and how many results differ."""
    if made.one_run:
        return [word(lang, "one_run", n=_states_apart(made))]
    if not made.steps:
        return [word(lang, "nothing")]
    if made.parts_at is None:
        lines = [word(lang, "same", n=made.both)]
    else:
        key = "part" if made.parts_at else "part_at_once"
        lines = [
            word(lang, "counts", both=made.both, a=made.only_a, b=made.only_b),
            word(lang, key, n=made.parts_at, next=_next(made, lang)),
        ]
    if others := made.same_result.count(False):
        lines.append(word(lang, "other_results", n=others))
    return lines


def html_of(made: Compared, lang: str = "en") -> str:
    """Return a comparison for a page that runs no code: words and the ribbon, escaped."""
    heads = "".join(
        f"<div>{escape(head)}</div><div style='font-weight:600;margin-bottom:4px'>"
        f"{escape(verdict)}</div>"
        for head, verdict in verdicts_of(made, lang)
    )
    lines = "".join(f"<div>{escape(line)}</div>" for line in counts_of(made, lang))
    return f"<div style='max-width:760px'>{heads}{lines}{ribbon(made, lang)}</div>"


def _states_apart(made: Compared) -> int:
    one, other = states(made.a)[0], states(made.b)[0]
    return sum(x != y for x, y in zip(one, other, strict=True))


def _next(made: Compared, lang: str) -> str:
    """Say what each run does where they part."""
    assert made.parts_at is not None
    said = []
    for mark, one, side in (("A", made.a, 0), ("B", made.b, 1)):
        places = (step[side] for step in made.steps[made.parts_at :])
        place = next((p for p in places if p is not None), None)
        if place is None:
            said.append(word(lang, "ends", mark=mark))
        else:
            said.append(word(lang, "calls", mark=mark, what=_what(one, place, view_of(one))))
    return ("，" if lang == "zh" else ", ").join(said)


def _what(one: Replay, place: int, view: View) -> str:
    calls = one.trace.tables["calls"]
    tool = view.masked(calls["tool"][place] or "?", 40)
    asked = calls["query"][place] or calls["target"][place]
    return f"{tool} ({view.masked(asked, 60)})" if asked else tool
