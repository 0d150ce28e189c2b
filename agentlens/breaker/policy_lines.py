"""Which line of a policy file an error speaks of."""

from __future__ import annotations

import re

from agentlens.breaker.families.spec import RuleError

__all__ = ["line_of", "line_of_rule"]


def line_of_rule(text: str, error: RuleError) -> int | None:
    """Find the line of a ``[[rules]]`` table's field, or of the table where it has no such."""
    index, start = -1, None
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if re.match(r"\[\[\s*rules\s*\]\]", bare):
            index += 1
            if index == error.index:
                start = number
            elif start is not None:
                break
        elif start is not None and bare.split("=")[0].strip().strip("\"'") == error.field:
            return number
    return start


def line_of(text: str, message: str) -> int | None:
    """Find the line of a policy file that an error speaks of, by the name of the switch."""
    named = re.match(r"(?:no (?:switch|preset) ')?(\w+)", message)
    wanted = {named[1] if named else "", "preset" if message.startswith("no preset") else ""} - {""}
    for number, line in enumerate(text.splitlines(), 1):
        key = line.split("=")[0].strip().strip("\"'")
        if key in wanted:
            return number
    return None
