"""What the tests of all adapters share: a run that rewords its search, and what must hold of it."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentlens as al
from agentlens.breaker.query.live_query import LiveQuery

#: Five rewordings each; the rule's third round is the first that must not run.
REWORDED = {
    "en": ["weather", "weather today", "weather today sunny", "weather sunny", "today weather now"],
    "zh": ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"],
}
ZH = REWORDED["zh"]
ASKED = "今天天气怎么样？"
ANSWER = "今天多云。"
PAGE = "能源补贴政策 https://example.org/energy"
#: By cause, in the words of the design and of docs/guard.md.
CLOSING = {
    ("query", "zh"): "已就相似查询搜索多次且无新信息，请基于现有结果作答，不要再重复搜索。",
    ("query", "en"): (
        "Similar queries were searched several times and brought nothing new. Answer from the "
        "results there are; do not search again."
    ),
    ("budget", "zh"): "已达到最大轮次，请基于现有结果作答，并说明还缺什么，不要再调用工具。",
}

every_wording = pytest.mark.parametrize("queries", REWORDED.values(), ids=REWORDED.keys())
every_silent_mode = pytest.mark.parametrize("mode", ["shadow", "off"])
every_fault = pytest.mark.parametrize(
    ("owner", "name"),
    [(LiveQuery, "before"), (al.Guard, "before"), (al.Guard, "after"), (al.Guard, "new_request")],
    ids=str,
)

#: Runs a script of calls under a guard, or under none; what it returns has `ran` and `transcript`.
RunOf = Callable[[list[tuple[str, dict[str, Any]]], al.Guard | None], Any]


def needs(module: str) -> None:
    """Skip the tests of a file where the framework is not installed; in the CI step, fail."""
    if os.environ.get("AGENTLENS_FRAMEWORKS") == "1":
        importlib.import_module(module)
    else:
        pytest.importorskip(module)


def searches(queries: list[str]) -> list[tuple[str, dict[str, Any]]]:
    return [("web_search", {"query": query}) for query in queries]


def transcript(run: Any) -> Any:
    return run.transcript()


def broken(*_, **__):
    raise RuntimeError("broken on purpose")


def counts(guard: al.Guard) -> Counter[str]:
    return Counter(event["event"] for event in guard.events)


def check_tripped_in_round_3(guard: al.Guard, queries: list[str], tmp_path: Path) -> None:
    """R9, R16: no orphan in the log; the record replays to the stop that was made."""
    assert guard.stopped
    assert guard.state == "finalizing"
    started, finished = (
        [event["call_id"] for event in guard.events if event["event"] == f"tool_{what}"]
        for what in ("started", "finished")
    )
    assert len(started) == len(set(started)) == 2
    assert started == finished
    assert not counts(guard)["guard_error"]
    guard.save(tmp_path / "record.jsonl")
    for trace in (al.load(tmp_path / "record.jsonl"), guard.trace()):
        assert list(trace.calls["query"]) == queries[:3]
        assert list(trace.calls["status"]) == ["ok", "ok", "missing"]
        trip = al.replay(trace, guard.policy).trip
        assert (trip.round, trip.rule, trip.phase) == (3, "query", "before")


def check_record_of_a_whole_run(guard: al.Guard, queries: list[str]) -> None:
    """Shadow: everything ran, and the record trips where enforcing had stopped."""
    assert not guard.stopped
    trace = guard.trace()
    assert list(trace.calls["query"]) == queries
    assert set(trace.calls["status"]) == {"ok"}
    assert all(PAGE in result for result in trace.calls["result"])
    assert al.replay(trace, guard.policy).trip.round == 3
    would = [e["would"] for e in guard.events if e["event"] == "decision"]
    assert would == ["proceed", "proceed", "stop", "stop", "stop"]


def check_silent(run_of: RunOf, mode: str) -> None:
    """R15: in shadow and off, the host's run is the same byte for byte as without a guard."""
    guard = al.Guard("classic", mode=mode)
    run, without = run_of(searches(ZH), guard), run_of(searches(ZH), None)
    assert run.transcript() == without.transcript()
    assert run.ran == ZH
    if mode == "shadow":
        check_record_of_a_whole_run(guard, ZH)


def check_fails_open(
    run_of: RunOf,
    fault: tuple[Any, str],
    monkeypatch: pytest.MonkeyPatch,
    seen: Callable[[Any], Any] = transcript,
) -> None:
    """R19: with a fault in the guard, the host sees what it sees without one."""
    monkeypatch.setattr(*fault, broken)
    guard = al.Guard("classic")
    run = run_of(searches(ZH[:2]), guard)
    assert seen(run) == seen(run_of(searches(ZH[:2]), None))
    assert counts(guard)["guard_error"]
