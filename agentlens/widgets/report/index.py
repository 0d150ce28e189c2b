"""Reports of many runs: a folder with a page for each and an index, worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from agentlens import __version__
from agentlens.breaker.replay import Replay
from agentlens.breaker.words import duration
from agentlens.errors import TraceError
from agentlens.figures.verdict import said_of
from agentlens.figures.view import view_of
from agentlens.figures.words import fill, load_words
from agentlens.thresholds.scan import Row, row_of, worst_first
from agentlens.trace.corpus import Corpus
from agentlens.trace.load import load_many
from agentlens.trace.model import Trace
from agentlens.widgets.escape import clean, safe
from agentlens.widgets.esm import module_text
from agentlens.widgets.report.page import report_html
from agentlens.widgets.report.shell import csp, write_whole

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy

__all__ = ["index_html", "write_index"]

_WORDS = load_words("agentlens.widgets.report", "index.toml")

_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{css}</style></head><body>
<main><h1>{title}</h1><p class="headline">{headline}</p>
{table}{bad}<p class="made">{made}</p></main>
</body></html>
"""
_NUMBERS = ("saved", "time", "trip", "rounds", "calls", "notes")


@dataclass(frozen=True, slots=True)
class _Entry:
    row: Row
    file: str
    why: str
    policy: str


def write_index(
    source: Any,
    folder: Path,
    policy: Policy | str | None = None,
    *,
    lang: str = "en",
    redact: bool = True,
) -> Path:
    """Write a page for each run and an index that links them, into a folder that is made.

    Parameters
    ----------
    source
        A corpus, a list of traces, replays and paths, or what `agentlens.load_many` takes.
    folder
        Where to write. Pages that lie there under the same names are replaced, others stay.
    policy
        What is replayed; replays in a list keep their own where none is given.
    lang
        ``en`` or ``zh``.
    redact
        False leaves secrets as they are.

    Returns
    -------
    Path
        The index. Links in it are relative: the folder can be moved, packed and opened anywhere.

    Raises
    ------
    TraceError
        If there is nothing to read, or the folder cannot be written. A run that cannot be read
        is listed.
    """
    from agentlens.widgets.report.write import replayed

    entries: list[_Entry] = []
    failures: list[tuple[str, str]] = []
    for number, one in enumerate(_runs(source, failures), 1):
        name = one.trace.name if isinstance(one, Replay) else one.name
        try:
            made = replayed(one, policy, redact=redact)
            file = f"{number:03d}-{_slug(name)}.html"
            page = report_html(made, lang=lang, home="index.html")
        except Exception as error:  # one run must not hide the others
            kind = "" if isinstance(error, TraceError) else f"{type(error).__name__}: "
            failures.append((name, " ".join(f"{kind}{error}".split())))
            continue
        _make(folder)
        write_whole(folder / file, page)
        said = said_of(view_of(made), lang)
        why = said.reason or said.verdict
        entries.append(_Entry(row_of(made.trace, made.policy), file, why, made.policy.name))
    if not entries and not failures:
        raise TraceError("there is no run to report")
    used = {entry.policy for entry in entries}
    shown = used.pop() if len(used) == 1 else ""
    page = index_html(entries, failures, shown, lang=lang, redact=redact)
    _make(folder)
    return write_whole(folder / "index.html", page)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TraceError(f"{folder}: cannot be made: {error.strerror or error}") from error


def _runs(source: Any, failures: list[tuple[str, str]]) -> Iterator[Trace | Replay]:
    if isinstance(source, Trace | Replay):
        yield source
    elif isinstance(source, list | tuple) and any(isinstance(s, Trace | Replay) for s in source):
        for one in source:
            if isinstance(one, Trace | Replay):
                yield one
            else:
                yield from _corpus(load_many([one], progress=False), failures)
    else:
        yield from _corpus(source if isinstance(source, Corpus) else load_many(source), failures)


def _corpus(corpus: Corpus, failures: list[tuple[str, str]]) -> Iterator[Trace]:
    yield from corpus
    failures += corpus.failures


def _slug(name: str) -> str:
    """Return a file name that every system takes and no address has to quote."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", clean(name)).strip("-")[:60].lower() or "run"


def index_html(
    entries: list[_Entry],
    failures: list[tuple[str, str]],
    policy: str,
    *,
    lang: str = "en",
    redact: bool = True,
) -> str:
    """Return the index as one page that needs no script."""
    words = _WORDS[lang]
    # Rows of one source are told apart by their place, which `worst_first` keeps.
    places = {id(entry.row): entry for entry in entries}
    ranked = [places[id(row)] for row in worst_first(entry.row for entry in entries)]
    title = fill(words["title"], {"n": len(entries)})
    secrets = words["masked" if redact else "kept"]
    facts = {"version": __version__, "policy": policy, "secrets": secrets}
    made = fill(words["made"], facts) if policy else f"agentlens {__version__}"
    return _PAGE.format(
        lang="zh-CN" if lang == "zh" else "en", csp=csp(), title=escape(title),
        css=module_text("report.css"), headline=escape(_headline(ranked, words)),
        table=_table(ranked, words), bad=_bad(failures, words), made=escape(made),
    )  # fmt: skip


def _headline(entries: list[_Entry], words: Mapping[str, str]) -> str:
    rows = [entry.row for entry in entries]
    tripped = [row for row in rows if row.trips]
    seconds = sum(row.saved_seconds or 0 for row in tripped)
    said = fill(words["headline"], {"n": len(rows), "tripped": len(tripped)})
    if not tripped:
        return said + words["none"]
    values = {
        "rounds": sum(row.saved_rounds for row in tripped),
        "time": f", {duration(seconds)}" if seconds else "",
    }
    return said + fill(words["saved_all"], values)


def _table(entries: list[_Entry], words: Mapping[str, str]) -> str:
    keys = ("run", "saved", "time", "trip", "rounds", "calls", "why", "notes")
    body = []
    for entry in entries:
        row = entry.row
        cells = {
            "saved": str(row.saved_rounds) if row.trips else "",
            "time": duration(row.saved_seconds) if row.trips and row.saved_seconds else "",
            "trip": "" if row.trip_round is None else str(row.trip_round),
            "rounds": str(row.rounds), "calls": str(row.calls), "notes": str(row.notes or ""),
            "run": f'<a href="{quote(entry.file)}">{safe(_named(row.source))}</a>',
            "why": safe(entry.why),
        }  # fmt: skip
        body.append("<tr>" + "".join(_cell(key, cells[key]) for key in keys) + "</tr>")
    return _wide(
        fill(words["title"], {"n": len(entries)}),
        "".join(f'<th scope="col"{_right(key)}>{escape(words[key])}</th>' for key in keys),
        "".join(body),
    )


def _named(source: str) -> str:
    return source.replace("\\", "/").rstrip("/").split("/")[-1]


def _cell(key: str, content: str) -> str:
    return f'<td{_right(key)} class="{key}">{content}</td>'


def _right(key: str) -> str:
    return ' style="text-align:right"' if key in _NUMBERS else ""


def _bad(failures: list[tuple[str, str]], words: Mapping[str, str]) -> str:
    if not failures:
        return ""
    head = "".join(f'<th scope="col">{escape(words[key])}</th>' for key in ("file", "cause"))
    rows = "".join(
        f'<tr><td class="run">{safe(_named(source))}</td>'
        f'<td class="why">{safe(text.removeprefix(source).lstrip(",: "))}</td></tr>'
        for source, text in failures
    )
    title = fill(words["bad"], {"n": len(failures)})
    return f"<h2>{escape(title)}</h2>{_wide(title, head, rows)}"


def _wide(name: str, head: str, body: str) -> str:
    return (
        f'<div class="wide whole" tabindex="0" role="region" aria-label="{escape(name)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
