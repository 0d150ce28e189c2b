"""How a call ended, from what a log says outright or, failing that, from marks in its text.

Many logs have no flag for errors; the failure then stands in the result's text, in a dozen
spellings. Only marks that a tool's host writes are trusted, and they must open the text or stand
on a line of their own: a page *about* errors is not an error.
"""

from __future__ import annotations

import re

__all__ = ["FAILED", "judge"]

#: How a call ends that did not do what it was asked to.
FAILED = frozenset(("error", "timeout"))

_STARTS: tuple[tuple[str, str, str], ...] = (
    ("<tool_use_error>", "error", "tool_use_error"),
    ("Traceback (most recent call last)", "error", "exception"),
    ("Error:", "error", "error"), ("ERROR:", "error", "error"), ("error:", "error", "error"),
    ("Error invoking tool", "error", "error"), ("Error executing", "error", "error"),
    ("Error calling", "error", "error"),
    ("Exception:", "error", "exception"), ("Tool call timed out", "timeout", "timeout"),
    ("Command timed out", "timeout", "timeout"), ("Request timed out", "timeout", "timeout"),
    ("[Request interrupted", "interrupted", "interrupted"),
    ("The user doesn't want to proceed", "denied", "denied"),
    ("The user doesn't want to take this action", "denied", "denied"),
    ("The user denied this operation", "denied", "denied"),
    ("Permission to use", "denied", "denied"), ('{"error"', "error", "error"),
    ("{'error'", "error", "error"),
)  # fmt: skip
_OPENERS = tuple(mark for mark, _, _ in _STARTS)
_FIRST = frozenset(mark[0] for mark in _OPENERS)
_EXIT = re.compile(
    r"(?:^|\n)\s*(?:<returncode>|exit ?code:?\s*|Exit code:?\s+|exitcode:\s*"
    r"|Process exited with code\s+"
    r"|Command failed with exit code\s+|returncode[:=]\s*)(-?\d{1,10})\b"
)
_IS_ERROR = re.compile(r"""["']?isError["']?\s*[:=]\s*[tT]rue\b""")
#: Where in a long result a mark is looked for, from either end.
_REACH = 1000


def judge(
    text: str,
    *,
    error: bool | None = None,
    exit_code: int | None = None,
    anywhere: bool = True,
) -> tuple[str, str | None, int | None, bool]:
    """Say how a call ended.

    Parameters
    ----------
    text
        The result.
    error
        What the log says outright, or None.
    exit_code
        Exit status, where the log has it.
    anywhere
        Also look for marks inside the text (exit codes, tracebacks); False where the log does
        flag errors and leaves the flag out for success.

    Returns
    -------
    status : str
        ``ok``, ``error``, ``denied``, ``timeout`` or ``interrupted``.
    error_type : str or None
    exit_code : int or None
        The one given, or the one read from the text.
    guessed : bool
        True where the text decided.
    """
    if error is False:
        return "ok", None, exit_code, False
    if error is None and exit_code is not None:
        return ("error", f"exit {exit_code}", exit_code, False) if exit_code else (
            "ok", None, 0, False)  # fmt: skip
    opening = text[:200].lstrip()
    if opening[:1] in _FIRST and opening.startswith(_OPENERS):
        _, status, kind = next(row for row in _STARTS if opening.startswith(row[0]))
        return status, kind, exit_code, error is None
    if error:
        return "error", f"exit {exit_code}" if exit_code else "error", exit_code, False
    if not anywhere or not text:
        return "ok", None, exit_code, False
    ends = text if len(text) <= 2 * _REACH else f"{text[:_REACH]}\n{text[-_REACH:]}"
    match = _EXIT.search(ends)
    if match:
        code = int(match[1])
        return ("error", f"exit {code}", code, True) if code else ("ok", None, 0, False)
    if "\nTraceback (most recent call last)" in ends:
        return "error", "exception", exit_code, True
    if "isError" in ends and _IS_ERROR.search(ends):
        return "error", "error", exit_code, True
    return "ok", None, exit_code, False
