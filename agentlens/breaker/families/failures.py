"""What identifies a failure, whatever was asked and by whatever tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.facts import is_failure

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall, SeenResult

__all__ = ["failed", "is_fatal", "signature"]

#: For text in small letters, as the next: a search that folds cases takes three times as long.
_FATAL = re.compile(
    r"\b(?:401|403)\b|unauthori[sz]ed|forbidden|permission denied|access denied|not logged in"
    r"|not authenticated|authentication (?:failed|required)"
    r"|(?:invalid|expired|missing) (?:api[ _-]?key|token|credentials)"
    r"|(?:token|session|key) (?:has |is )?expired|未授权|无权限|权限不足|未登录|认证失败"
)  # fmt: skip
#: A call that is not well-formed fails before it does anything: no state of the world can make
#: it succeed. What is missing (a file, a column, a page) may come to be, and is not among these.
_MALFORMED = re.compile(
    r"syntax ?error|error in your sql syntax|pars(?:e|ing) (?:error|failed)|malformed"
    r"|unexpected (?:eof|token|end of|indent|character|keyword|argument)"
    r"|command not found|not recogni[sz]ed as|no such (?:tool|function|command)\b"
    r"|(?:unrecogni[sz]ed|unknown|invalid|illegal|unexpected) (?:option|argument|flag|command"
    r"|predicate|switch|parameter|tool|function|keyword)"
    r"|missing (?:required )?(?:argument|parameter|operand|option)|extra operand"
    r"|option requires an argument|too (?:few|many) arguments|options? .{0,40}mutually exclusive"
    r"|paths must precede|\A\s*usage:|\nusage:|\btry ['`\"]?[\w.-]+ --help|validation errors?\b"
    r"|invalid (?:json|request|syntax|expression|query|mode|[a-z]+ format)|indentationerror"
    r"|(?:unmatched|unbalanced|unterminated|unclosed) |bad (?:request|substitution|option)"
    r"|ambiguous redirect|required positional argument|field required|expression compile failed"
    r"|语法错误|参数错误|缺少参数|无效的?参数|未知命令|未找到命令|找不到命令|不是内部或外部命令"
)
_SAYS_FAILED = re.compile(
    r"\A[\s{\[\"'<]*(?:error|exception|failed|failure|fatal|traceback)\b[\"']?\s*[:>\]]", re.I
)
_DIGITS = re.compile(r"(?<![\w.])(?![45]\d\d(?!\w))\d+(?:\.\d+)?|(?<=[A-Za-z_])\d+\b")
_MAX_SAID = 400


def failed(result: SeenResult) -> bool:
    """Say whether a call failed: by its status, or by the first words of its answer."""
    return is_failure(result) or bool(_SAYS_FAILED.match(result.text[:80]))


def is_fatal(call: SeenCall, result: SeenResult) -> bool:
    """Say whether trying again cannot help: no permission, no credentials, no well-formed call.

    What a write is told of its content's form is no verdict on the call: content is worked on.
    """
    said = result.text[:_MAX_SAID] + result.error_type
    return _is_hopeless(said.lower(), call.effect != "write")


@lru_cache(maxsize=1 << 10)  # in a run that goes in circles most failures come again
def _is_hopeless(said: str, formed: bool) -> bool:
    if formed and _MALFORMED.search(said) is not None:
        return True
    return _FATAL.search(said) is not None


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
