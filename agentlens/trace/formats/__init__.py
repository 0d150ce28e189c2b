"""One small module a log format: ``sniff(head)``, ``split(document)`` and ``read(part, builder)``.

Formats are told apart by the shape of their records, never by a file's name or a version: both
change with every release of an agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from agentlens.errors import TraceError
from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.part import Part
from agentlens.trace.source import Document

__all__ = ["FORMATS", "Format", "Part", "get"]

#: Names of the formats, the most specific first.
FORMATS = (
    "tables",
    "claude_code",
    "codex",
    "copilot_cli",
    "cline",
    "opencode",
    "goose",
    "qwen_code",
    "gemini",
    "openhands",
    "mini_swe_agent",
    "sweagent",
    "atif",
    "tau",
    "otlp",
    "mlflow",
    "openinference",
    "readable_span",
    "openai_agents",
    "langsmith",
    "langfuse",
    "weave",
    "responses",
    "langchain",
    "intercode",
    "magentic",
    "ag2",
    "toolbench",
    "inspect_ai",
    "smolagents",
    "livemcp",
    "tau2",
    "autogen",
    "browser_use",
    "sharegpt",
    "crewai",
    "plain",
    "anthropic",
    "openai",
)


class Format(Protocol):
    """What a module of this package offers."""

    NAME: str

    def sniff(self, head: Sequence[Any]) -> float:
        """Say how well the first records fit: 0 (not at all) to 1."""
        ...

    def split(self, document: Document) -> Iterator[Part]:
        """Yield one part for each trace that the document holds."""
        ...

    def read(self, part: Part, build: TraceBuilder) -> None:
        """Read one part into the builder."""
        ...


def get(name: str) -> Format:
    """Return the module of a format.

    Raises
    ------
    TraceError
        If there is none of that name.
    """
    if name not in FORMATS:
        raise TraceError(f"unknown format {name!r}; the formats are {', '.join(FORMATS)}")
    return cast("Format", import_module(f"{__name__}.{name}"))
