"""What the breaker says, in English and Chinese: plain, short, `would have` for what was not."""

from __future__ import annotations

from typing import Any

from agentlens.errors import PolicyError
from agentlens.progress.measures import score_text

__all__ = [
    "LANGUAGES",
    "budget_reason",
    "budget_words",
    "duration",
    "finding_words",
    "language",
    "query_reason",
    "query_words",
    "rounds_phrase",
    "saving_words",
    "score_words",
    "shorten",
]

LANGUAGES = ("en", "zh")


def language(lang: str) -> str:
    """Return a language, or raise PolicyError if nothing is said in it."""
    if lang not in LANGUAGES:
        raise PolicyError(f"lang: {lang!r} is none of {', '.join(LANGUAGES)}")
    return lang


def shorten(text: str, limit: int = 80) -> str:
    """Return a query on one line, cut in the middle of nowhere with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def score_words(num: int, den: int, measure: str, lang: str = "en") -> str:
    """Say a score: for containment how many tokens of the smaller query are shared."""
    if measure == "containment":
        return f"{num} of {den} tokens" if lang == "en" else f"{den} 个词元中有 {num} 个相同"
    if measure == "cosine":
        name = "cosine" if lang == "en" else "余弦"
        return f"{name} {score_text(num, den, measure)}"
    return f"{measure} {num}/{den}"


def duration(seconds: float) -> str:
    """Say a duration: `21.5 s`, `12 min`, `3.4 h`."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def rounds_phrase(first: int, last: int, lang: str = "en") -> str:
    """Say a range of rounds."""
    if lang == "zh":
        return f"第 {first} 轮" if first == last else f"第 {first}–{last} 轮"
    return f"round {first}" if first == last else f"rounds {first}–{last}"


def saving_words(first: int, last: int, seconds: float | None, lang: str) -> str:
    """Say what stopping before a range of rounds would have saved."""
    span = rounds_phrase(first, last, lang)
    if lang == "zh":
        return f"本可省去{span}" + (f"（{duration(seconds)}）" if seconds is not None else "")
    time = f", {duration(seconds)}," if seconds is not None else ""
    return f"{span}{time} would have been saved"


def budget_words(round: int, used: int, lang: str = "en") -> str:
    """Say that the budget of rounds was used up."""
    if lang == "zh":
        return f"第 {round} 轮：{used} 轮的预算已用完"
    return f"round {round}: the budget of {used} rounds is used up"


def budget_reason(round: int, used: int, last: int, seconds: float | None, lang: str = "en") -> str:
    """Say that the budget of rounds was used up, and what stopping there would have saved."""
    comma = "；" if lang == "zh" else "; "
    return f"{budget_words(round, used, lang)}{comma}{saving_words(round, last, seconds, lang)}"


def query_words(
    *, round: int, query: str, match_round: int, match: str, num: int, den: int, measure: str,
    count: int, threshold: int, lang: str = "en",
) -> str:  # fmt: skip
    """Say why the query rule tripped."""
    said = score_words(num, den, measure, lang)
    if lang == "zh":
        return (
            f"第 {round} 轮：“{shorten(query)}”重复了第 {match_round} 轮的“{shorten(match)}”"
            f"（{said}）；计数 {count}/{threshold}"
        )
    return (
        f"round {round}: {shorten(query)} repeats round {match_round}, {shorten(match)} ({said}); "
        f"count {count} of {threshold}"
    )


def query_reason(
    *, round: int, last: int, seconds: float | None, lang: str = "en", **said: Any
) -> str:
    """Say why the query rule tripped, as `query_words` does, and what it would have saved."""
    comma = "；" if lang == "zh" else "; "
    return (
        query_words(round=round, lang=lang, **said)
        + comma
        + saving_words(round, last, seconds, lang)
    )


def finding_words(round: int, reason: str, lang: str = "en") -> str:
    """Say what a rule of a family found at a round."""
    return f"第 {round} 轮：{reason}" if lang == "zh" else f"round {round}: {reason}"
