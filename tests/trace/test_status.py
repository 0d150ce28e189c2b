"""How calls ended: what the log says outright comes first, then marks in the text."""

from __future__ import annotations

import pytest

from agentlens.trace.status import judge

TEXTS = {
    "Error: no such file": ("error", "error", None),
    "  ERROR: x": ("error", "error", None),
    "Traceback (most recent call last):\n  File": ("error", "exception", None),
    "output\nTraceback (most recent call last):\n  File": ("error", "exception", None),
    "exitcode: 1 (execution failed)\nCode output: x": ("error", "exit 1", 1),
    "exitcode: 0 (execution succeeded)": ("ok", None, 0),
    "<returncode>2</returncode>\n<output>": ("error", "exit 2", 2),
    "Chunk ID: 1\nProcess exited with code 127\nOutput:": ("error", "exit 127", 127),
    "Exit code 1\nFAILED": ("error", "exit 1", 1),
    "Tool call timed out.": ("timeout", "timeout", None),
    "The user doesn't want to proceed with this tool use.": ("denied", "denied", None),
    "[Request interrupted by user for tool use]": ("interrupted", "interrupted", None),
    '{"error": "not found"}': ("error", "error", None),
    "meta=None content=[TextContent(text='x')] isError=True": ("error", "error", None),
    '{"content": [], "isError": true}': ("error", "error", None),
    '{"content": [], "isError": false}': ("ok", None, None),
    "An article about Error: messages": ("ok", None, None),
    "Errors happen": ("ok", None, None),
    "No results found": ("ok", None, None),
    "": ("ok", None, None),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items(), ids=range(len(TEXTS)))
def test_marks_in_the_text(text, expected):
    status, kind, code, guessed = judge(text)
    assert (status, kind, code) == expected
    assert guessed == (status != "ok")


def test_what_the_log_says_outright_comes_first():
    assert judge("Error: x", error=False) == ("ok", None, None, False)
    assert judge("fine", error=True) == ("error", "error", None, False)
    assert judge("Error: x", exit_code=0) == ("ok", None, 0, False)
    assert judge("fine", exit_code=3) == ("error", "exit 3", 3, False)
    assert judge("The user doesn't want to proceed", error=True)[0] == "denied"
    assert judge("log\nExit code 1", anywhere=False)[0] == "ok"
    assert judge("x" * 50_000 + "\nExit code 1")[0] == "error"
