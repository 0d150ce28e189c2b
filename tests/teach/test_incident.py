"""Silent empties, the checklist of five and the layers, on the incident and on made-up runs."""

from __future__ import annotations

import pytest

import agentlens as al
from agentlens.teach.incident import CHECKS, incident_of, is_silent_empty, silent_empty
from agentlens.teach.record import INCIDENT, Record
from agentlens.teach.two_by_two import incident


def run(*results, tool="web_search", text="", **more):
    rows = [
        {"round": n, "tool": tool, "args": {"query": "天气"}, "result": result, **more}
        for n, result in enumerate(results, 1)
    ]
    return al.load([*rows, {"round": len(rows) + 1, "tool": None, "text": text or "done"}])


@pytest.mark.parametrize(
    ("result", "silent"),
    [
        ("", True), ("  ", True), ("[]", True), ("{}", True), ("null", True),
        ('{"results": []}', True), ('{"items": [], "total": 0}', True),
        ("未检索到结果，请勿重试或编造", False), ("No results", False),
        ('{"results": [], "error": "timeout"}', False),
        ('{"results": [], "message": "no results found"}', False),
        ('{"results": [{"url": "x"}]}', False), ('{"weather": "sunny"}', False), ("[1]", False),
        ("{", False), (None, True),
    ],
)  # fmt: skip
def test_what_is_a_silent_empty(result, silent):
    assert is_silent_empty(result) is silent


def test_calls_that_got_one_are_numbered():
    assert silent_empty(run("[]", "x", "")) == (1, 3)
    assert silent_empty(run("", "", tool="write_file")) == ()  # a write may have nothing to say
    assert silent_empty(run("", error=True)) == ()  # said to have failed
    assert silent_empty(incident()) == ()  # its results were there, and beside the point


def test_the_incident():
    seen = incident_of(incident(), INCIDENT)
    assert [seen.checks[c] for c in CHECKS] == ["unknown", "fail", "fail", "unknown", "unknown"]
    assert seen.checks["floor"] == "pass"
    assert seen.searches == 5
    assert seen.replay.trip.round == 3


def test_a_good_run_passes():
    limit = Record(rounds=2, max_rounds=2)
    trace = run("未检索到结果，请勿重试或编造", "x", text="信息不足：还缺供应商文档")
    seen = incident_of(trace, limit, prompt="已知信息直接答，别动不动换词搜", stress="pass")
    assert [seen.checks[c] for c in CHECKS] == ["pass", "unknown", "pass", "pass", "pass"]
    bad = incident_of(run("[]", "[]", "[]"), limit, prompt="You are helpful.", stress="fail")
    assert [bad.checks[c] for c in CHECKS] == ["fail"] * 5


def test_a_guard_that_fired_passes():
    rows = [{"round": n, "tool": "web_search", "args": {"query": "天气"}} for n in (1, 2, 3)]
    assert incident_of(al.load(rows)).checks["stop"] == "fail"
    seen = incident_of(al.load(rows))
    assert seen.record.rounds == 3
    assert seen.record.max_rounds is None
    assert seen.checks["floor"] == "unknown"
