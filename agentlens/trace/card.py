"""A corpus on one card: how many runs, which labels, tools and languages, and what is missing."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from agentlens.errors import amount
from agentlens.trace.redact import redact

if TYPE_CHECKING:
    from agentlens.trace.corpus import Corpus
    from agentlens.trace.model import Trace

__all__ = ["Card", "card_of", "scripts_of"]

#: So many tools and models are named; the counts have them all.
_NAMED = 8
#: First code points of blocks of letters, and the names that a reader knows them by.
_BLOCKS = (
    (0x41, "Latin"), (0x370, "Greek"), (0x400, "Cyrillic"), (0x530, "other"), (0x590, "Hebrew"),
    (0x600, "Arabic"), (0x700, "other"), (0x900, "Devanagari"), (0x980, "other"), (0xE00, "Thai"),
    (0xE80, "other"), (0x1100, "Korean"), (0x1200, "other"), (0x1E00, "Latin"), (0x1F00, "Greek"),
    (0x2000, "other"), (0x3040, "Japanese"), (0x3100, "other"), (0x3400, "Chinese"),
    (0xA000, "other"), (0xAC00, "Korean"), (0xD7B0, "other"), (0xF900, "Chinese"),
    (0xFB00, "other"), (0xFF66, "Japanese"), (0xFFA0, "other"), (0x20000, "Chinese"),
    (0x323B0, "other"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """What a corpus holds.

    Attributes
    ----------
    runs, tasks, rounds, calls
        How many; several runs of one task are one task.
    labels
        Runs by label.
    onsets
        Loops whose first round without progress is known.
    tools, models, formats
        How many calls, runs and runs have each.
    languages
        Runs by the script in which most of their queries are written.
    timed, counted, priced
        Runs with seconds, tokens and cost.
    failures
        Files that could not be read.
    missing
        What a choice of thresholds will lack, in sentences.
    """

    runs: int
    tasks: int
    rounds: int
    calls: int
    labels: dict[str, int]
    onsets: int
    tools: dict[str, int]
    models: dict[str, int]
    formats: dict[str, int]
    languages: dict[str, int]
    timed: int
    counted: int
    priced: int
    failures: int
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("runs", f"{self.runs:,} of {amount(self.tasks, 'task')}"),
            ("rounds", f"{self.rounds:,} with {self.calls:,} calls"),
            ("labels", _said(self.labels) + f"; onset known in {self.onsets}"),
            ("tools", _said(self.tools)),
            ("languages", _said(self.languages) or "no query"),
            ("models", _said(self.models) or "not said"),
            ("formats", _said(self.formats)),
            ("seconds", f"in {self.timed:,}; tokens in {self.counted:,}; cost in {self.priced:,}"),
        ]  # fmt: skip

    def __repr__(self) -> str:
        lines = [f"{name:<10}{text}" for name, text in self._rows()]
        return "\n".join([*lines, *(f"missing   {text}" for text in self.missing)])

    def _repr_html_(self) -> str:
        rows = [*self._rows(), *(("missing", text) for text in self.missing)]
        cells = "".join(
            f'<tr><th style="text-align:left">{name}</th>'
            f'<td style="text-align:left">{html.escape(text)}</td></tr>'
            for name, text in rows
        )
        return f"<table><tbody>{cells}</tbody></table>"


def _said(counts: dict[str, int]) -> str:
    first = [f"{_clean(name)} {n:,}" for name, n in list(counts.items())[:_NAMED]]
    more = len(counts) - len(first)
    return ", ".join(first) + (f", {more} more" if more else "")


def _clean(name: str) -> str:
    return "".join(c for c in redact(" ".join(name.split())) if c.isprintable())[:60]


def scripts_of(texts: Iterable[str]) -> Counter[str]:
    """Count the letters of texts by script: Latin, Chinese, Japanese, Korean and others."""
    from bisect import bisect_right

    starts = [start for start, _ in _BLOCKS]
    counts: Counter[str] = Counter()
    for text in texts:
        for letter, n in Counter(text).items():
            if letter.isalpha():
                counts[_BLOCKS[max(0, bisect_right(starts, ord(letter)) - 1)][1]] += n
    return counts


def _language(trace: Trace) -> str | None:
    texts = [q for qs in trace.tables["calls"]["queries"] for q in qs or ()]
    found = scripts_of(texts)
    if not found:
        return None
    if found["Japanese"]:  # it is written with Chinese characters as well
        return "Japanese"
    # A Chinese word of two characters says as much as an English one of five or six letters.
    return max(found, key=lambda name: found[name] * (3 if name == "Chinese" else 1))


def card_of(corpus: Corpus) -> Card:
    """Read a corpus once and return its card."""
    labels, tools, models, formats, languages = (Counter[str]() for _ in range(5))
    tasks: set[str] = set()
    runs = rounds = calls = onsets = timed = counted = priced = single = 0
    for trace, mark in corpus.labelled():
        runs += 1
        labels[mark.label] += 1
        onsets += mark.onset is not None
        single += mark.task is None
        tasks |= {mark.task} if mark.task is not None else set()
        table = trace.tables["rounds"]
        rounds += sum(bool(members) for members in trace.round_calls)
        calls += len(trace)
        tools.update(tool for tool in trace.tables["calls"]["tool"] if tool)
        models.update(trace.meta.models)
        formats[trace.format] += 1
        language = _language(trace)
        languages.update([language] if language else [])
        timed += any(value is not None for value in table["seconds"])
        counted += any(value is not None for value in table["tokens"])
        priced += any(value is not None for value in table["cost"])
    return Card(
        runs, len(tasks) + single, rounds, calls, dict(labels.most_common()), onsets,
        dict(tools.most_common()), dict(models.most_common()), dict(formats.most_common()),
        dict(languages.most_common()), timed, counted, priced, len(corpus.failures),
        tuple(_missing(runs, labels, onsets, timed, counted, priced, languages, corpus)),
    )  # fmt: skip


def _missing(
    runs: int, labels: Counter[str], onsets: int, timed: int, counted: int, priced: int,
    languages: Counter[str], corpus: Corpus,
) -> Iterable[str]:  # fmt: skip
    if not runs:
        yield "there is no run"
        return
    if not labels["good"]:
        yield "no run is labelled good: nothing can be said about false stops"
    if not labels["loop"]:
        yield "no run is labelled loop: nothing can be said about what is detected"
    if labels["unknown"]:
        yield f"no label, and so left out: {amount(labels['unknown'], 'run')}"
    if labels["loop"] > onsets:
        yield f"no onset, and so no delay: {amount(labels['loop'] - onsets, 'loop')}"
    if not sum(languages.values()):
        yield "no search is recognised in any run: mark the tool that searches"
    for name, n in (("seconds", timed), ("tokens", counted), ("cost", priced)):
        if n < runs:
            yield f"no {name} in {amount(runs - n, 'run')}"
    if corpus.failures:
        yield f"not readable: {amount(len(corpus.failures), 'file')}"
