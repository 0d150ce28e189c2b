"""`report`: a page, a text for an issue tracker, a picture, or a folder of pages, by its name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlens.breaker.replay import Replay, replay
from agentlens.breaker.words import language
from agentlens.errors import TraceError
from agentlens.figures.compare.result import Compared
from agentlens.trace.corpus import Corpus
from agentlens.trace.folder import session_file
from agentlens.trace.model import Trace
from agentlens.trace.redact_trace import showing, unmasked
from agentlens.trace.whole_file import is_stream
from agentlens.widgets.report.shell import write_whole

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy

__all__ = ["KINDS", "is_many", "kept", "replayed", "report"]

#: What is written, by the end of the file's name.
KINDS = {
    ".html": "page", ".htm": "page", ".md": "text", ".markdown": "text",
    ".png": "picture", ".svg": "picture", ".pdf": "picture", ".webp": "picture",
}  # fmt: skip


def report(
    trace: Any,
    path: str | os.PathLike[str],
    policy: Policy | str | None = None,
    *,
    lang: str = "en",
    redact: bool = True,
) -> Path:
    """Write a report of a run: one file, no kernel, no network, both handles still draggable.

    Parameters
    ----------
    trace
        A trace, a replay, what `agentlens.compare` returns, or anything that `agentlens.load`
        takes. Several of them, a corpus, or what `agentlens.load_many` takes make a folder.
    path
        Where to write it. Its end decides what: ``.html`` a page; ``.md`` a text for an issue
        tracker; ``.png``, ``.svg``, ``.pdf`` or ``.webp`` a picture (needs the extra
        ``kaleido``); a folder, which is made: one page a run, and ``index.html``, worst first.
    policy
        What is replayed; the default policy where none is given. A replay keeps its own.
    lang
        ``en`` or ``zh``.
    redact
        False leaves secrets, e-mail addresses and names of home folders as they are; what is
        written says so.

    Returns
    -------
    Path
        The file; of a folder its index. All text of the trace is escaped, and a content-security
        policy forbids a page everything but its own script.

    Raises
    ------
    TraceError
        If the trace cannot be read, or the file cannot be written.
    PolicyError
        If there is no such policy or language.
    """
    language(lang)
    with showing(redact=redact):
        return _written(trace, path, policy, lang, redact)


def _written(
    trace: Any, path: str | os.PathLike[str], policy: Policy | str | None, lang: str, redact: bool
) -> Path:
    target = Path(path).expanduser()
    kind = KINDS.get(target.suffix.lower())
    whole = str(path).endswith(("/", os.sep)) or target.is_dir()
    if target.name.lower() in KINDS:
        raise TraceError(f"a name is missing before {target.name}", source=str(target))
    if isinstance(trace, Compared):
        if whole or (kind != "page" and not is_stream(target)):
            raise TraceError("a comparison is written as .html", source=str(target))
        return _compared(trace if redact else kept(trace), target, lang)
    if whole or (kind is None and not target.suffix and not target.exists()):
        from agentlens.widgets.report.index import write_index

        return write_index(trace, target, policy, lang=lang, redact=redact)
    if kind is None and not is_stream(target):
        name = target.suffix or "a file without an ending"  # it may be the log itself
        raise TraceError(
            f"{name} is no kind of report: {', '.join(KINDS)}, or a folder", source=str(target)
        )
    if _several(trace):
        raise TraceError(
            "several runs need a folder, such as reports/, not one file", source=str(target)
        )
    made = replayed(trace, policy, redact=redact)
    if kind == "text":
        from agentlens.widgets.report.markdown import markdown

        return write_whole(target, markdown(made, lang=lang))
    if kind == "picture":
        from agentlens.widgets.report.picture import picture

        return write_whole(target, picture(made, target.suffix.lower()[1:], lang=lang))
    from agentlens.widgets.report.page import report_html

    return write_whole(target, report_html(made, lang=lang))


def _compared(made: Compared, target: Path, lang: str) -> Path:
    from agentlens.widgets.report.compare_page import compare_html

    return write_whole(target, compare_html(made, lang=lang))


def _several(trace: Any) -> bool:
    """Say whether something stands for more than one run."""
    if isinstance(trace, Corpus):
        return True
    if isinstance(trace, str | os.PathLike):
        return is_many(os.fspath(trace))
    if isinstance(trace, Mapping | Trace | Replay) or not isinstance(trace, Iterable):
        return False
    return (
        isinstance(trace, list | tuple) and bool(trace) and not isinstance(trace[0], Mapping | list)
    )


def is_many(path: str) -> bool:
    """Say whether a path is a folder that is not the folder of one session."""
    if not path or not Path(path).expanduser().is_dir():
        return False
    try:
        session_file(path)
    except TraceError:
        return True
    return False


def kept(made: Compared) -> Compared:
    """Return a comparison whose texts are not masked."""
    a, b = (replayed(one, None, redact=False) for one in (made.a, made.b))
    return replace(made, a=a, b=b)


def replayed(trace: Any, policy: Policy | str | None, *, redact: bool = True) -> Replay:
    """Return the replay of a trace, or of what holds one; a replay keeps its policy."""
    from agentlens.trace.load import load

    if isinstance(trace, Replay):
        if redact and policy is None:
            return trace
        policy = policy or trace.policy
        trace = trace.trace
    trace = trace if isinstance(trace, Trace) else load(trace)
    return replay(trace if redact else unmasked(trace), policy)
