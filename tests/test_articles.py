"""Requirements of the two articles that several modules meet together, each by its number."""

from __future__ import annotations

import json

import pytest

import agentlens as al
from agentlens.breaker.families.spec import FAMILIES
from agentlens.breaker.rules import RULES
from agentlens.teach.incident import CHECKS, incident_of, silent_empty
from agentlens.teach.record import read_records
from agentlens.teach.two_by_two import incident

SYNONYMS = ["天气", "气象", "气温实况", "冷暖情况", "晴雨", "阴晴", "风力", "湿度"]  # G11 and on
REWORDED = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时", "天气 现在",
            "天气 今天", "天气 最新"]  # fmt: skip


def searches(queries: list[str], result: str = "1. https://example.org/energy", **more) -> al.Trace:
    return al.load([
        {"round": n, "tool": "webSearch", "args": {"query": query}, "result": result, **more}
        for n, query in enumerate(queries, 1)
    ])  # fmt: skip


def test_r22_synonyms_that_bring_the_same_urls_are_stopped_by_what_they_bring():
    trace = searches(SYNONYMS)
    assert al.replay(trace, "classic").trip is None
    trip = al.replay(trace, "layered").trip
    assert trip is not None
    assert trip.rule != "query"
    fresh = al.load([
        {"round": n, "tool": "webSearch", "args": {"query": query},
         "result": f"https://example.org/{n}"}
        for n, query in enumerate(SYNONYMS, 1)
    ])  # fmt: skip
    assert al.replay(fresh, "layered").trip is None  # the same words with new URLs are progress


def test_r23_what_looks_at_results_pays_more_searches_than_what_looks_at_queries():
    trace = searches(REWORDED)
    layered = al.Policy.preset("layered")
    by_query = al.replay(trace, layered).trip
    by_results = al.replay(trace, layered.with_(query=False)).trip
    assert (by_query.rule, by_query.phase, by_query.round) == ("query", "before", 3)
    assert by_results is not None
    assert by_query.saved_rounds > by_results.saved_rounds  # the difference that a report shows


def test_r25_every_rule_says_what_it_sees_and_every_layer_what_it_cannot():
    assert all(rule.sees for rule in RULES.values())
    assert all(FAMILIES.values())
    holes = {rule.name: rule.note for rule in al.Policy.preset("layered").rules}
    assert holes
    assert [name for name, note in holes.items() if "cannot see" not in note] == []


def test_r26_the_record_of_the_incident_is_read_and_fills_the_view(tmp_path):
    line = {"userQuery": "背景", "outcome": "max_rounds", "roundsUsed": 5, "maxRoundsCfg": 5,
            "toolCallCount": 5, "llmCallCount": 10, "durationMs": 35875}  # fmt: skip
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", "utf-8")
    (record,) = read_records(path)
    assert (record.rounds, record.tool_calls, record.llm_calls) == (5, 5, 10)
    assert record.seconds == pytest.approx(35.875)
    seen = incident_of(incident(), record)
    assert (seen.searches, seen.replay.trip.round) == (5, 3)
    assert seen.checks["floor"] == "pass"  # of four layers only the floor was there
    assert seen.checks["stop"] == "fail"


def test_r27_an_empty_list_after_a_swallowed_exception_is_flagged_as_a_trigger():
    assert silent_empty(searches(["天气", "气温"], "[]")) == (1, 2)
    assert silent_empty(searches(["天气"], "未检索到结果，请勿重试或编造")) == ()
    assert incident_of(searches(["天气", "气温"], "[]")).checks["failure"] == "fail"


@pytest.mark.parametrize("intent", ["same", "other", "unknown"])
def test_r28_whether_first_and_last_round_contradict_each_other_is_kept_as_a_person_says(intent):
    assert incident_of(incident(), intent=intent).intent == intent
    assert incident_of(incident()).intent == "unknown"


def test_r29_the_checklist_of_five_has_pass_fail_or_unknown_for_each():
    assert len(CHECKS) == 5
    checks = incident_of(incident()).checks
    assert {checks[name] for name in CHECKS} <= {"pass", "fail", "unknown"}


def edits(**each) -> al.Trace:
    return al.load([
        {"round": n, "tool": "get_page", "args": args, "result": "the same page", "text": text}
        for n, (text, args) in enumerate(each["turns"], 1)
    ])  # fmt: skip


def test_r37_the_same_call_in_other_prose_is_a_loop_and_so_are_reordered_arguments():
    texts = ["Let me look.", "I should check this once more.", "One more look, to be sure.",
             "Now really.", "And again, from another angle.", "A last time."]  # fmt: skip
    args = {"city": "Lisbon", "topic": "rent"}
    turned = {"topic": "rent", "city": "Lisbon"}
    prose = edits(turns=[(text, args) for text in texts])
    order = edits(turns=[(text, turned if n % 2 else args) for n, text in enumerate(texts)])
    assert al.replay(prose, "layered").verdict == "loop"
    assert al.replay(order, "layered").verdict == "loop"
    assert al.replay(order, "layered").trip.round == al.replay(prose, "layered").trip.round
    others = [(text, {"city": "Lisbon", "topic": f"t{n}"}) for n, text in enumerate(texts)]
    distinct = al.load([
        {"round": n, "tool": "get_page", "args": args, "result": f"page {args['topic']}"}
        for n, (_, args) in enumerate(others, 1)
    ])  # fmt: skip
    assert al.replay(distinct, "layered").verdict == "progress"
