"""Rounds of one tool of which nothing comes, and failures that trying again cannot help."""

from __future__ import annotations

from typing import Any

import pytest

import agentlens as al


def sh(command: str, result: str = "", error: bool = False) -> dict[str, Any]:
    return {"tool": "bash", "args": {"command": command}, "result": result, "error": error}


def missing(name: str) -> dict[str, Any]:
    """A failure in words of its own: what is missing may come to be."""
    return sh(f"cat {name}", f"no {name} here, {name * 2} neither", True)


def malformed(name: str) -> dict[str, Any]:
    """A call that no state of the world can make succeed, in words of its own."""
    return sh(f"( {name}", f"{name * 3}: syntax error near {name}", True)


def trip(rows: list[dict[str, Any]]) -> tuple[str, int, str] | None:
    made = al.replay(al.load([{"round": i, **row} for i, row in enumerate(rows, 1)]), "layered")
    return made.trip and (made.trip.rule, made.trip.round, made.trip.phase)


NAMES = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima".split()
MISSING = [missing(name) for name in NAMES]
MALFORMED = [malformed(name) for name in NAMES]
NEWS = sh("ls", "a.py\nb.py")


def test_nine_rounds_of_which_nothing_comes_are_a_loop_and_eight_are_none():
    assert trip([*MISSING[:8], NEWS]) is None
    assert trip([*MISSING[:9], NEWS]) == ("barren", 9, "after")


def test_what_was_bound_to_bring_nothing_counts_double():
    assert trip([*MALFORMED[:4], NEWS]) is None
    assert trip([*MALFORMED[:5], NEWS]) == ("barren", 5, "after")
    # After news, failures of either kind in turn (1 + 2 + 1 + 2 + 1) and a known answer (2): 9.
    mixed = [x for pair in zip(MISSING, MALFORMED, strict=True) for x in pair][:5]
    assert trip([NEWS, *mixed, NEWS, NEWS]) == ("barren", 7, "after")


def test_a_first_look_that_finds_nothing_counts_half():
    looks = [sh(f"find . -name {name}") for name in NAMES]
    assert trip([*MISSING[:7], *looks[:3], NEWS]) is None
    assert trip([*MISSING[:7], *looks[:4], NEWS]) == ("barren", 11, "after")


@pytest.mark.parametrize("between", [
    NEWS,
    {"tool": "web_search", "args": {"query": "how to"}, "result": "", "error": False},
    sh("touch a", ""),
])  # fmt: skip
def test_news_a_change_and_another_tool_begin_the_count_anew(between):
    assert trip([*MISSING[:8], between, *MISSING[8:]]) is None


def test_the_same_malformed_call_is_stopped_before_its_fourth_run_a_failure_that_may_pass_later():
    for said in ("bash: line 1: gti: command not found", "tar: x\nTry 'tar --help' for more",
                 "usage: run [-h] name", "SyntaxError: invalid syntax", "命令: 未找到命令",
                 "2 validation errors for Args"):  # fmt: skip
        assert trip([sh("run", said, True)] * 8) == ("repeat", 4, "before"), said
    for said in ("Table 'a.b' doesn't exist", "cat: a: No such file or directory", "exit 1",
                 "Connection refused"):  # fmt: skip
        assert trip([sh("run", said, True)] * 8) == ("repeat", 6, "before"), said


def test_the_same_complaint_of_malformed_calls_ends_at_four_unless_content_is_worked_on():
    said = "syntax error: unexpected end of file"
    rows = [sh(f"( {name}", said, True) for name in NAMES]
    assert trip(rows) == ("errors", 4, "after")
    edits = [
        {"tool": "edit_file", "args": {"path": "a.py", "new": name}, "result": said, "error": True}
        for name in NAMES
    ]
    assert trip(edits) == ("errors", 6, "after")
