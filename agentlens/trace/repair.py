"""What every later step can hold: text as UTF-8, nesting that ends, numbers that add up.

Halves of surrogate pairs are joined or replaced, once, at the door: logs cut in the middle of an
emoji, and strings built in memory, hold lone ones; no notebook, file or checksum can encode them.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import fields, replace
from typing import Any

from agentlens.trace.model import Meta

__all__ = [
    "MAX_DEPTH", "TooDeep", "leave_out_wild", "repair_meta", "repair_tables", "repaired",
    "whole_text",
]  # fmt: skip

#: Deeper than this, a value is damage: no agent writes it, and readers walk values recursively.
MAX_DEPTH = 200

#: Columns of numbers that a log may leave out.
_NUMBERS = frozenset(
    "started seconds input_tokens cached_tokens cache_write_tokens output_tokens reasoning_tokens "
    "tokens cost exit_code".split()
)
_MOST = 2**63

_TEXTS: Mapping[str, tuple[str, ...]] = {
    "threads": ("thread", "parent", "parent_call", "kind", "name"),
    "rounds": ("thread", "text", "reasoning", "model", "message_id"),
    "calls": (
        "thread", "call_id", "tool", "tool_raw", "namespace", "args_raw", "error_type", "result",
    ),
    "events": ("thread", "text"),
}  # fmt: skip


class TooDeep(ValueError):  # noqa: N818 - a finding, which the caller turns into a note
    """A value is nested deeper than `MAX_DEPTH`."""


def whole_text(text: str) -> str:
    """Join surrogates that belong together; replace a lone one by U+FFFD. Else the same object."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _is_plain(value: Any) -> bool:
    return value.isascii() if isinstance(value, str) else isinstance(value, int | float)


def repaired(value: Any, depth: int = 0) -> Any:
    """Return a value with `whole_text` for every text in it; itself where nothing had to change.

    Raises
    ------
    TooDeep
        If it is nested deeper than `MAX_DEPTH`, or holds itself.
    """
    if isinstance(value, str):
        return whole_text(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth >= MAX_DEPTH:
        raise TooDeep
    if isinstance(value, dict):
        new = {repaired(k): repaired(v, depth + 1) for k, v in value.items()}
        kept = all(a is b for a, b in zip(new.values(), value.values(), strict=False))
        same = kept and all(a is b for a, b in zip(new, value, strict=False))
        return value if same else new
    items = [repaired(item, depth + 1) for item in value]
    if all(a is b for a, b in zip(value, items, strict=True)):
        return value
    return items if isinstance(value, list) else tuple(items)


def repair_tables(
    tables: Mapping[str, MutableMapping[str, list[Any]]],
) -> tuple[list[int | None], list[int | None]]:
    """Repair the texts of a trace's tables in place.

    Returns
    -------
    texts, deep
        The line of each text that was repaired, and of each call whose arguments are nested too
        deeply; those become text without a query.
    """
    texts: list[int | None] = []
    deep: list[int | None] = []
    for name, columns in _TEXTS.items():
        table = tables[name]
        lines = table.get("line")
        for column in columns:
            cells = table[column]
            # `isascii` looks at a flag: nearly all that a big log costs here
            for row in [i for i, c in enumerate(cells) if isinstance(c, str) and not c.isascii()]:
                if (text := whole_text(cells[row])) is not cells[row]:
                    cells[row] = text
                    if column != "thread" or name == "threads":  # told once, not at every row
                        texts.append(lines[row] if lines else None)
    calls = tables["calls"]
    for row, args in enumerate(calls["args"]):
        if args is None or (all(map(_is_plain, args.values())) and all(map(_is_plain, args))):
            continue  # as nearly all are
        try:
            new = repaired(args)
        except TooDeep:
            calls["args"][row], calls["args_raw"][row] = None, "{…}"
            calls["args_state"][row] = "unparsed"
            deep.append(calls["line"][row])
            continue
        if new is not args:
            calls["args"][row] = new
            texts.append(calls["line"][row])
    return texts, deep


def leave_out_wild(tables: Mapping[str, MutableMapping[str, list[Any]]]) -> list[int | None]:
    """Empty in place the cells whose number nobody can add up; return the line of each.

    That is NaN and the infinities, which no JSON has and Python reads all the same, and what is
    beyond 64 bits.
    """
    lines: list[int | None] = []
    for table in tables.values():
        at = table.get("line")
        for name in _NUMBERS & table.keys():
            cells = table[name]
            for row, cell in enumerate(cells):
                if isinstance(cell, float | int) and not -_MOST < cell < _MOST:
                    cells[row] = None
                    lines.append(at[row] if at else None)
    return lines


def repair_meta(meta: Meta) -> Meta:
    """Return what is known of a run with its texts repaired."""
    changed: dict[str, Any] = {}
    for name in (field.name for field in fields(meta)):
        value = getattr(meta, name)
        try:
            new = repaired(value)
        except TooDeep:
            continue
        if new is not value:
            changed[name] = new
    return replace(meta, **changed) if changed else meta
