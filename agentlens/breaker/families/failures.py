"""What identifies a failure, whatever was asked and by whatever tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.facts import is_failure

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall, SeenResult

__all__ = ["failed", "is_fatal", "signature"]

_FATAL = re.compile(
    r"\b(?:401|403)\b|unauthori[sz]ed|forbidden|permission denied|access denied|not logged in"
    r"|not authenticated|authentication (?:failed|required)"
    r"|(?:invalid|expired|missing) (?:api[ _-]?key|token|credentials)"
    r"|(?:token|session|key) (?:has |is )?expired|未授权|无权限|权限不足|未登录|认证失败",
    re.IGNORECASE,
)  # fmt: skip
_SAYS_FAILED = re.compile(
    r"\A[\s{\[\"'<]*(?:error|exception|failed|failure|fatal|traceback)\b[\"']?\s*[:>\]]", re.I
)
_DIGITS = re.compile(r"(?<![\w.])(?![45]\d\d(?!\w))\d+(?:\.\d+)?|(?<=[A-Za-z_])\d+\b")
_MAX_SAID = 400


def failed(result: SeenResult) -> bool:
    """Say whether a call failed: by its status, or by the first words of its answer."""
    return is_failure(result) or bool(_SAYS_FAILED.match(result.text[:80]))


def is_fatal(result: SeenResult) -> bool:
    """Say whether trying again cannot help: no permission, no credentials."""
    return bool(_FATAL.search(result.text[:_MAX_SAID] + result.error_type))


def signature(call: SeenCall, result: SeenResult) -> str:
    """Return what a failure says whatever was asked: arguments and numbers taken out of its text.

    Of a traceback the last line, else the beginning. HTTP codes of errors stay.
    """
    text = result.text[:20_000].strip()
    if "Traceback (most recent call last)" in text:
        text = text.splitlines()[-1]
    text = text[:_MAX_SAID]
    for value in sorted(_values(call.args), key=len, reverse=True):
        if value in text:
            text = text.replace(value, "<arg>")
    text = " ".join(_DIGITS.sub("#", text).split()).lower()
    return text[:200] or f"{result.error_type} {result.status}"


def _values(args: Mapping[str, Any] | None) -> set[str]:
    found: set[str] = set()
    for value in (args or {}).values():
        if isinstance(value, str) and 3 <= len(value) <= _MAX_SAID:
            found.add(value)
            if "/" in value:
                found.add(value.rsplit("/", 1)[-1])
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > 999:
            found.add(str(value))
    found.discard("")
    return found
