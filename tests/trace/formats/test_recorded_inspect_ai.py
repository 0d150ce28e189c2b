"""A run of Inspect AI's own agents (`record_inspect_ai`), in both formats of its logs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded"
#: What the script's models asked, in the order in which they asked it.
QUERIES = ["rain Beijing", "北京今天下雨吗", "fail", "Beijing rain today", None, "umbrella"]


@pytest.mark.parametrize("name", ["inspect_ai.eval", "inspect_ai.json"])
def test_an_agent_and_one_that_it_calls(name):
    trace = load(RECORDED / name)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    threads = trace.tables["threads"]
    assert trace.format == "inspect_ai"
    assert not trace.notes
    assert threads["parent"] == [None, "main"]
    assert threads["parent_call"] == [None, "c5"]
    assert threads["name"] == [None, "helper"]
    inner = threads["thread"][1]
    assert calls["call_id"] == ["c1", "c2", "c3", "c4", "c5", "h1"]
    assert calls["thread"] == ["main"] * 5 + [inner]
    assert calls["round"] == [1, 2, 3, 4, 5, 1]
    assert calls["tool"] == ["web_search"] * 4 + ["helper", "web_search"]
    assert calls["query"] == QUERIES
    assert calls["args"][4] == {"input": "An umbrella?"}
    assert calls["status"] == ["ok", "ok", "error", "ok", "ok", "ok"]
    assert calls["result"] == [
        "nothing about rain Beijing", "nothing about 北京今天下雨吗", "no network",
        "nothing about Beijing rain today", "take one", "nothing about umbrella",
    ]  # fmt: skip
    assert calls["paired_by"] == ["id"] * 6
    assert len(rounds["round"]) == 6 + 2
    assert rounds["text"][-2:] == ["take one", "It stays dry."]
    # 20 tokens that were sent, 6 out of the cache, 4 that came: 30.
    assert rounds["input_tokens"] == [26] * 8
    assert rounds["cached_tokens"] == [6] * 8
    assert rounds["output_tokens"] == [4] * 8
    assert trace.meta.totals == {"tokens": 8 * 30}
    assert all(a <= b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.meta.task == "Will it rain in Beijing?"
    assert trace.meta.outcome["status"] == "success"
    assert trace.meta.limits == {"max_messages": 40}


def test_both_formats_hold_the_same_run_and_one_is_compressed_with_zstandard():
    with zipfile.ZipFile(RECORDED / "inspect_ai.eval") as archive:
        assert {member.compress_type for member in archive.infolist()} == {93}
    packed, plain = (load(RECORDED / f"inspect_ai.{suffix}") for suffix in ("eval", "json"))
    assert packed.tables == plain.tables
