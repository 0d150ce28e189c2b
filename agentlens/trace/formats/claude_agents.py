"""The logs of sub-agents that Claude Code keeps beside a session's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from agentlens.errors import TraceError
from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.claude_entries import Entry, Session
from agentlens.trace.formats.claude_records import scan
from agentlens.trace.source import open_document

__all__ = ["SubagentFile", "subagent_files"]

_MAX_AGENTS = 10_000


@dataclass(frozen=True)
class SubagentFile:
    """The log of one sub-agent beside its session."""

    path: Path

    def read(self, build: TraceBuilder, session: Session) -> list[Entry]:
        """Return its entries; a file that cannot be read is noted."""
        agent = self.path.name.removeprefix("agent-").removesuffix(".jsonl")
        try:
            with closing(open_document(self.path)) as document:
                found = scan(document.records(), build, session, agent)
        except TraceError as error:
            build.note("damaged", f"a sub-agent's log was left out: {error.message}")
            return []
        for note in document.notes.values():
            build.note(note.kind, f"{self.path.name}: {note.message}", note.line)
        session.agents[agent] = self._started_by()
        return found.entries

    def _started_by(self) -> str | None:
        """Return the id of the call that started it, from the small file beside the log."""
        try:
            meta = orjson.loads(self.path.with_suffix(".meta.json").read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None
        found = meta.get("toolUseId") if isinstance(meta, dict) else None
        return found if isinstance(found, str) else None


def subagent_files(path: Path | None) -> Iterator[SubagentFile]:
    """Yield the logs of sub-agents that lie in the folder named after a session's log."""
    folder = path.with_suffix("") / "subagents" if path is not None else None
    if folder is None or not folder.is_dir():
        return
    for number, found in enumerate(sorted(folder.rglob("agent-*.jsonl"))):
        if number >= _MAX_AGENTS:
            return
        if found.is_file():
            yield SubagentFile(found)
