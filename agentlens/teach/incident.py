"""A run as an incident: silent empties, a checklist of five, the layers that were there or not.

Every answer is ``pass``, ``fail`` or ``unknown``. What a log cannot say (the prompt, the stress
test, whether the agent contradicted itself) is asked of a person, and unknown until it is told.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import Replay, replay
from agentlens.teach.record import Record
from agentlens.trace.model import Trace
from agentlens.trace.status import FAILED

__all__ = ["CHECKS", "LAYERS", "Incident", "incident_of", "is_silent_empty", "silent_empty"]

#: The five questions, in their order.
CHECKS: Final = ("failure", "stop", "honest", "prompt", "stress")
#: Layers of a guard, with the question that shows whether each was there.
LAYERS: Final = (
    ("entry", "prompt"), ("process", "stop"), ("tool", "failure"), ("exit", "honest"),
    ("floor", "floor"),
)  # fmt: skip
_LOOKS: Final = ("search", "read")
_HOLDERS: Final = ("results", "items", "data", "documents", "hits", "organic", "webPages")
_EXPLICIT: Final = re.compile(
    r"未检索到|没有找到|未找到|无结果|检索失败|搜索失败|no (?:results?|matches|hits)\b|not found|"
    r"nothing (?:was )?found|failed|error|timed? ?out",
    re.IGNORECASE,
)
_HONEST: Final = re.compile(
    r"信息不足|不太确定|无法确定|未能找到|没有找到|未检索到|缺少|还缺|insufficient|not enough|"
    r"could not (?:find|verify)|couldn't (?:find|verify)|unable to|no reliable|still missing",
    re.IGNORECASE,
)
_RESTRAINT: Final = re.compile(
    r"已知信息直接答|别动不动换词搜|不要(?:再)?重复搜索|answer (?:directly )?from what|"
    r"do not (?:search again|repeat)|only search (?:if|when)",
    re.IGNORECASE,
)


def is_silent_empty(result: str | None) -> bool:
    """Return whether a result is empty and does not say why.

    Nothing at all, an empty JSON list or object, or an object whose only lists of results are
    empty and that holds no error or message.

    Examples
    --------
    >>> is_silent_empty("[]"), is_silent_empty("未检索到结果，请勿重试或编造")
    (True, False)
    """
    text = (result or "").strip()
    if text in ("", "null", "None", "[]", "{}", '""'):
        return True
    if not text.startswith("{") or len(text) > 10_000:
        return False
    try:
        item: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    held = [item[name] for name in _HOLDERS if name in item]
    said = any(isinstance(v, str) and _EXPLICIT.search(v) for v in item.values())
    return bool(held) and not any(held) and not said and not item.get("error")


def silent_empty(trace: Trace) -> tuple[int, ...]:
    """Return the numbers of calls (from 1) that looked something up and got a silent empty."""
    calls = trace.tables["calls"]
    return tuple(
        calls["call"][row]
        for row, effect in enumerate(calls["effect"])
        if effect in _LOOKS
        and calls["status"][row] == "ok"
        and not calls["parts"][row]
        and is_silent_empty(calls["result"][row])
    )


@dataclass(frozen=True, slots=True)
class Incident:
    """A run looked at as an incident.

    Attributes
    ----------
    replay
        The policy over it.
    record
        What the engine noted; derived from the trace where there was no record.
    empty
        Calls that got a silent empty: a trigger.
    checks
        For each of `CHECKS`, and for ``floor``, ``pass``, ``fail`` or ``unknown``.
    searches
        Rounds with a search.
    intent
        Whether the first and the last round state the same intent: ``same``, ``other`` or
        ``unknown``; from a person.
    """

    replay: Replay
    record: Record
    empty: tuple[int, ...]
    checks: dict[str, str]
    searches: int
    intent: str


def incident_of(
    trace: Trace,
    record: Record | None = None,
    policy: Policy | str = "classic",
    *,
    prompt: str = "",
    stress: str = "unknown",
    intent: str = "unknown",
) -> Incident:
    """Look at a run as an incident.

    Parameters
    ----------
    trace
        The run.
    record
        What the engine noted of it.
    policy
        The breaker that it is held against.
    prompt
        The system prompt, where it is known.
    stress
        Whether ambiguous and unsolvable inputs are in the stress test: ``pass``, ``fail`` or
        ``unknown``.
    intent
        Whether first and last round state the same intent: ``same``, ``other`` or ``unknown``.
    """
    found = replay(trace, policy)
    kinds = found.signals.kind
    searches = sum(kind in ("search", "mixed", "retry") for kind in kinds)
    record = record or _derived(trace, found)
    empty = silent_empty(trace)
    checks = {
        "failure": _failure(trace, empty),
        "stop": _stop(trace, found),
        "honest": _honest(trace, record),
        "prompt": "unknown" if not prompt.strip() else _verdict(_RESTRAINT.search(prompt)),
        "stress": stress,
        "floor": "unknown" if record.max_rounds is None else "pass",
    }
    return Incident(found, record, empty, checks, searches, intent)


def _verdict(good: object) -> str:
    return "pass" if good else "fail"


def _derived(trace: Trace, found: Replay) -> Record:
    calls = trace.tables["calls"]["call"]
    seconds = [s for s in trace.tables["rounds"]["seconds"] if s is not None]
    used = sum(kind in ("search", "mixed", "retry", "business") for kind in found.signals.kind)
    return Record(trace.meta.task, None, used, None, len(calls), None, sum(seconds) or None)


def _failure(trace: Trace, empty: tuple[int, ...]) -> str:
    """Return whether failures of tools are said; unknown where nothing was empty or failed."""
    if empty:
        return "fail"
    calls = trace.tables["calls"]
    told = any(
        status in FAILED or (status == "ok" and _EXPLICIT.match(result or ""))
        for status, result in zip(calls["status"], calls["result"], strict=True)
    )
    return "pass" if told else "unknown"


def _stop(trace: Trace, found: Replay) -> str:
    """Return whether a run without progress was stopped; unknown where there was none."""
    if "guard_fired" in trace.tables["events"]["kind"]:
        return "pass"
    return "fail" if found.verdict == "loop" else "unknown"


def _honest(trace: Trace, record: Record) -> str:
    """Return whether the answer at the limit says what is missing; unknown before the limit."""
    texts = [text for text in trace.tables["rounds"]["text"] if text]
    if not record.at_limit or not texts:
        return "unknown"
    return _verdict(_HONEST.search(texts[-1]))
