"""Parts of the lesson that stand alone: the token lab and the incident view."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentlens.teach.record import Record, is_record, read_record, read_records
from agentlens.widgets.lesson.lesson import TriggerAmplifier

__all__ = ["IncidentView", "TokenLab"]


class TokenLab(TriggerAmplifier):
    """Two queries pulled apart into tokens, by five tokenisers and four measures.

    Parameters
    ----------
    first, second
        The queries; the article's pair if left out.
    lang
        ``en`` or ``zh``.
    theme
        ``auto``, ``light`` or ``dark``.

    Examples
    --------
    >>> TokenLab("C++ 教程", "C# 教程")  # doctest: +SKIP
    """

    def __init__(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        lang: str = "en",
        theme: str = "auto",
    ) -> None:
        super().__init__(scene="lab", lang=lang, theme=theme)
        given = {"first": first, "second": second}
        typed = {name: text for name, text in given.items() if text is not None}
        if typed:
            self.set(**typed)


class IncidentView(TriggerAmplifier):
    """A run as an incident: its record, five whys, the layers of a guard, a checklist of five.

    Parameters
    ----------
    trace
        The run: anything that `agentlens.load` takes. The recorded incident if left out.
    record
        What the engine noted of it: a `agentlens.teach.record.Record`, or a mapping of its shape
        (``userQuery, outcome, roundsUsed, maxRoundsCfg, toolCallCount, llmCallCount, durationMs``).
    lang
        ``en`` or ``zh``.
    theme
        ``auto``, ``light`` or ``dark``.

    Raises
    ------
    TraceError
        If the run or the record cannot be read.
    """

    def __init__(
        self,
        trace: Any = None,
        record: Record | Mapping[str, Any] | None = None,
        *,
        lang: str = "en",
        theme: str = "auto",
    ) -> None:
        super().__init__(trace, scene="incident", lang=lang, theme=theme)
        if record is not None:
            noted = record if isinstance(record, Record) else read_record(record)
            self._shared.held = {**self._shared.held, "record": noted}

    def load(self, trace: Any) -> None:
        """Take a run, or a file of incident records, of which the first is taken.

        Parameters
        ----------
        trace
            The run, as `agentlens.load` takes it, or the file of records.

        Raises
        ------
        TraceError
            If it is neither.
        """
        if isinstance(trace, str) and _holds_records(trace):
            self._shared.held = {**self._shared.held, "record": read_records(trace)[0]}
            return
        super().load(trace)


def _holds_records(path: str) -> bool:
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return is_record(json.loads(file.readline(1_000_000)))
    except (OSError, ValueError, RecursionError):
        return False
