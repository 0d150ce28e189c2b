"""What rules compare: keys of calls and results as small integers, each made once a run.

Many presets read one trace, and most of them compare the same few things. A key is made when it
is first asked for and then kept by the number of its call, so that a further rule costs a look
into a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from agentlens.progress.canonical import canonical
from agentlens.progress.fragments import masked
from agentlens.trace.status import FAILED

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.breaker.seen import SeenCall, SeenResult, SeenRound

__all__ = ["Facts", "error_text", "is_failure", "thought_of"]

_WORD = re.compile(r"\w+")


def is_failure(result: SeenResult) -> bool:
    """Say whether a call failed: an error of the tool, an exit code, or its time ran out."""
    return result.status in FAILED


def error_text(result: SeenResult) -> str:
    """Return what identifies a failure: its masked text, or its type where it has none."""
    return masked(result.text[:2000]).strip() or result.error_type or result.status


class Facts:
    """Keys of the calls and results of one run.

    Equal keys are equal integers. Calls are known by their number, which is unique in a run.
    """

    def __init__(self) -> None:
        self._ids: dict[Hashable, int] = {}
        self._tables: dict[Hashable, dict[int, int]] = {}
        self._texts: dict[bool, dict[int, str]] = {True: {}, False: {}}

    def intern(self, value: Hashable) -> int:
        """Return the integer of a value."""
        ids = self._ids
        found = ids.get(value)
        if found is None:
            found = ids[value] = len(ids) + 1
        return found

    def call_keys(self, spec: RuleSpec) -> Callable[[SeenCall], int]:
        """Return the function from a call, before it runs, to its key under a rule."""
        tool, args, effect = "tool" in spec.key, "args" in spec.key, "effect" in spec.key
        mode = (spec.args, spec.fields, spec.drop) if args else ()
        table = self._tables.setdefault(("call", tool, effect, mode), {})

        def key(call: SeenCall) -> int:
            found = table.get(call.number)
            if found is None:
                found = table[call.number] = self.intern(
                    (
                        call.tool if tool else "",
                        call.effect if effect else "",
                        self._args(call, spec) if args else "",
                    )
                )
            return found

        return key

    def result_keys(self, how: str) -> Callable[[SeenCall, SeenResult], int]:
        """Return the function from a call and its result to the result's key."""
        table = self._tables.setdefault(("result", how), {})
        read = _READS[how]

        def key(call: SeenCall, result: SeenResult) -> int:
            found = table.get(call.number)
            if found is None:
                found = table[call.number] = self.intern((how, read(result)))
            return found

        return key

    def _args(self, call: SeenCall, spec: RuleSpec) -> str:
        if call.args is None:
            return call.args_raw
        if spec.args == "browser":
            return _as_json(_browser(call), True)
        if spec.args == "salient" and not call.args.keys().isdisjoint(spec.fields):
            return _as_json({k: v for k, v in call.args.items() if k in spec.fields}, True)
        if spec.drop and not call.args.keys().isdisjoint(spec.drop):
            kept = {k: v for k, v in call.args.items() if k not in spec.drop}
            return _as_json(kept, spec.args != "raw")
        ordered = spec.args != "raw"
        texts = self._texts[ordered]
        found = texts.get(call.number)
        if found is None:
            found = texts[call.number] = _as_json(call.args, ordered)
        return found


def _as_json(args: Mapping[str, Any], ordered: bool) -> str:
    try:
        return orjson.dumps(args, option=orjson.OPT_SORT_KEYS if ordered else None).decode()
    except (TypeError, RecursionError):  # surrogates, large integers, depth
        return canonical(args).decode() if ordered else repr(args)


def _browser(call: SeenCall) -> dict[str, Any]:
    """Return what of a browser action tells it from others, as browser-use compares them.

    The words of a search as a set, with its engine; an element by its number, with what is put
    in; a page by its address; a scroll by its direction and element; of other actions all that is
    given.
    """
    args = {k: v for k, v in (call.args or {}).items() if v is not None}
    tool = call.tool
    if tool in ("search", "search_google"):
        words = _WORD.findall(str(args.get("query", "")).lower())
        return {"words": sorted(set(words)), "engine": args.get("engine", "google")}
    if tool in ("click", "click_element_by_index"):
        return {"index": args.get("index")}
    if tool in ("input", "input_text"):
        return {"index": args.get("index"), "text": str(args.get("text", "")).strip().lower()}
    if tool in ("navigate", "go_to_url"):
        return {"url": args.get("url", "")}
    if tool == "scroll":
        return {"down": bool(args.get("down", True)), "index": args.get("index")}
    return args


def _first100(result: SeenResult) -> str:
    return result.text[:100]


def _exit(result: SeenResult) -> tuple[str, int | None]:
    return result.status, result.exit_code


def _full(result: SeenResult) -> tuple[str, str]:
    return result.status, result.text


def _masked(result: SeenResult) -> tuple[str, str]:
    return result.status, masked(result.text)


_READS: Mapping[str, Callable[[SeenResult], Hashable]] = {
    "exit": _exit,
    "first100": _first100,
    "full": _full,
    "masked": _masked,
    "error": error_text,
}


def thought_of(seen: SeenRound) -> str:
    """Return what the model thought and said with a round."""
    return f"{seen.reasoning}\0{seen.text}"
