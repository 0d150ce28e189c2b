"""Logs of sub-agents that lie in files of their own beside their parent's.

Found are: Codex rollouts of the same folder, or of those beside it, whose first line names the
parent; Gemini CLI's files in the folder named after the parent's session; Qwen Code's in
``subagents/<session>``. The same rules say which files of a folder belong to another one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import lru_cache
from glob import escape
from pathlib import Path

from agentlens.errors import TraceError
from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.document import Document
from agentlens.trace.thread_view import ThreadView

__all__ = [
    "gemini_children",
    "is_child_folder",
    "qwen_children",
    "read_children",
    "rollout_children",
    "rollouts_below",
]

_MAX_CHILDREN = 1000
_MAX_DEPTH = 8
_HEAD = 1 << 18
_ID = rb'"([A-Za-z0-9_-]{1,100})"'
_PARENT = re.compile(rb'"parent_thread_id"\s*:\s*' + _ID)
_OWN = re.compile(rb'"id"\s*:\s*' + _ID)


def rollout_children(path: Path | None, session: str | None) -> list[Path]:
    """Return the rollouts of the sub-agents that a Codex session started, the oldest first."""
    if path is None or session is None:
        return []
    following = _day(path.parent, 1)
    folders = [path.parent, following] if following else [path.parent]
    found = [child for folder in folders for child in _parents(folder).get(session, ())]
    return [child for child in found if child.name != path.name][:_MAX_CHILDREN]


def rollouts_below(folder: Path, names: Iterable[str]) -> set[str]:
    """Return which rollouts of a folder are read with their parent's, there or the day before."""
    names = [name for name in names if name.startswith("rollout-")]
    if not names:
        return set()
    before = _day(folder, -1)
    above = [*names, *(path.name for path in before.glob("rollout-*.jsonl"))] if before else names
    return {
        child.name
        for parent, children in _parents(folder).items()
        if any(parent in name for name in above)  # a rollout's name ends with its session
        for child in children
        if parent not in child.name
    }


def _day(folder: Path, step: int) -> Path | None:
    """Return the folder of the day after (or before), into which a session may run."""
    if not (folder.name.isdigit() and folder.parent.name.isdigit() and len(folder.name) == 2):
        return None
    other = folder.parent / f"{int(folder.name) + step:02d}"
    return other if other.is_dir() else None


def _parents(folder: Path) -> dict[str, list[Path]]:
    try:
        return _index(str(folder), folder.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=64)
def _index(folder: str, changed: int) -> dict[str, list[Path]]:
    """Return the rollouts of a folder, as of its latest change, by the parent that they name."""
    del changed  # makes the cache forget
    found: dict[str, list[Path]] = {}
    for name in sorted(os.listdir(folder)):  # noqa: PTH208 - names are all that is needed
        if not (name.startswith("rollout-") and name.endswith(".jsonl")):
            continue
        path = Path(folder) / name
        try:
            with path.open("rb") as stream:
                first = stream.readline(_HEAD)
        except OSError:
            continue
        match = _PARENT.search(first)
        if match and match[1] != _first_id(first):
            found.setdefault(match[1].decode(), []).append(path)
    return found


def _first_id(line: bytes) -> bytes | None:
    match = _OWN.search(line)
    return match[1] if match else None


def gemini_children(path: Path | None, session: str | None) -> list[Path]:
    """Return the logs of a Gemini CLI session's sub-agents."""
    if path is None or not _is_name(session):
        return []
    return _logs(path.parent / str(session), ("*.jsonl", "*.json"))


def qwen_children(path: Path | None, session: str | None) -> list[Path]:
    """Return the logs of a Qwen Code session's sub-agents."""
    if path is None or not _is_name(session):
        return []
    return _logs(path.parent.parent / "subagents" / str(session), ("agent-*.jsonl",))


def _is_name(session: str | None) -> bool:
    return session is not None and re.fullmatch(r"[A-Za-z0-9_-]{1,200}", session) is not None


def _logs(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    if not folder.is_dir():
        return []
    found = sorted({path for pattern in patterns for path in folder.glob(pattern)})
    return [path for path in found if path.is_file() and ".meta." not in path.name][:_MAX_CHILDREN]


def is_child_folder(folder: Path) -> bool:
    """Say whether all that lies in a folder belongs to a session's log beside it.

    Such are ``chats/<session>`` of Gemini CLI beside ``session-<time>-<its beginning>.json``, and
    ``subagents/<session>`` of Qwen Code beside ``chats/<session>.jsonl``.
    """
    above, name = folder.parent, folder.name
    if above.name == "chats" and len(name) >= 8:
        return any(above.glob(f"session-*-{escape(name[:8])}.json*"))
    return above.name == "subagents" and (above.parent / "chats" / f"{name}.jsonl").is_file()


def read_children(
    paths: Iterable[Path],
    build: TraceBuilder,
    read: Callable[[Document, TraceBuilder], str | None],
    calls: Mapping[str, str] | None = None,
) -> None:
    """Read the logs of sub-agents, each into a thread of its own.

    Parameters
    ----------
    read
        Reads one document into a builder and returns its title. One that raises a `TraceError` is
        left out, and noted.
    calls
        Which call started which sub-agent; where it is not given, the first call whose result
        names the sub-agent did.
    """
    from agentlens.trace.source import open_document

    if isinstance(build, ThreadView) and build.depth >= _MAX_DEPTH:
        build.note("skipped", "sub-agents are nested too deeply")
        return
    for path in paths:
        stem = path.name.split(".")[0].removeprefix("agent-")
        thread = re.sub(r"\Arollout-[\d-]{10}T[\d-]{8}-", "", stem) or stem
        started_by = (calls or {}).get(thread) or _started_by(build, thread)
        try:
            with closing(open_document(path)) as document:
                build.thread(thread, parent=MAIN, parent_call=started_by)
                view = ThreadView(build, thread)
                title = read(document, view)
        except TraceError as error:
            build.note("damaged", f"a sub-agent's log was left out: {error.message}")
            continue
        if title:
            view.entitle(title)
        for note in document.notes.values():
            build.note(note.kind, f"{path.name}: {note.message}", note.line)


def _started_by(build: TraceBuilder, child: str) -> str | None:
    """Return the id of the first call whose result names a sub-agent."""
    table = build._calls
    result, call_id = table.at["result"], table.at["call_id"]
    return next((str(row[call_id]) for row in table.rows if child in row[result]), None)
