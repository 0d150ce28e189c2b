"""The stage's payload: compact columns that hold the replay, masked texts, a small size."""

from __future__ import annotations

import base64
import json
import random
import re

import numpy as np
import pytest

import agentlens as al
from agentlens.trace.build import TraceBuilder
from agentlens.widgets.esm import module_text, stage_esm
from agentlens.widgets.lens.payload import KINDS, ROLES, as_json, pack, path_of, stage_payload
from tests.browser.stage_page import searches

INCIDENT = searches(
    ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"], seconds=7.175
)


def column(packed):
    return np.frombuffer(packed["data"], "<" + packed["type"]).tolist()


@pytest.mark.parametrize(
    ("values", "type_"),
    [([0, 255], "u1"), ([-1, 127], "i1"), ([-1, 128], "i2"), ([0, 256], "i2"), ([0, 2**15], "i4"),
     ([0, 2**31], "f8"), ([], "u1")],
)  # fmt: skip
def test_a_column_takes_the_smallest_type(values, type_):
    packed = pack(values)
    assert packed["type"] == type_
    assert column(packed) == values


def test_unknown_times_are_nan():
    packed = pack([1.5, None], real="f8")
    assert packed["type"] == "f8"
    assert np.isnan(column(packed)[1])


def test_the_columns_are_those_of_the_replay():
    made = stage_payload(al.replay(INCIDENT, "classic"))
    rounds, queries, calls = made["rounds"], made["queries"], made["calls"]
    assert made["n"] == 5
    assert column(rounds["number"]) == [1, 2, 3, 4, 5]
    assert column(rounds["num"]) == [0, 2, 2, 2, 2]
    assert column(rounds["den"]) == [1, 2, 2, 2, 2]
    assert [KINDS[k] for k in column(rounds["kind"])] == ["search"] * 5
    assert [ROLES[r] for r in column(rounds["role"])] == ["count"] * 5
    assert column(rounds["seconds"]) == [7.175] * 5
    assert column(queries["match"]) == [-1, 0, 0, 0, 0]
    assert [made["texts"][i] for i in column(queries["text"])][2] == "今日天气 晴雨"
    assert column(calls["query"]) == [0, 1, 2, 3, 4]
    assert column(made["forest"]["order"]) == [0, 1, 2, 3, 4]
    assert len(column(made["forest"]["num"])) == 4
    assert (made["similarity"], made["threshold"]) == ([4, 5], 2)
    assert made["times"] is True
    assert made["recount"] is True
    assert made["path"] == ["stalled", "finalizing", "partial"]
    assert made["rules"] == []


def test_what_is_sent_is_read_by_the_stage_or_the_report():
    """A key that no script reads would be sent for nothing."""
    made = stage_payload(al.replay(INCIDENT, "classic"))
    scripts = stage_esm() + module_text("report.js")
    read = set(re.findall(r"\bpayload\.(\w+)", scripts))
    assert set(made) <= read
    assert made["calls"].keys() == {"round", "tool", "query"}


def test_other_rules_come_as_their_earliest_trips():
    replay = al.replay(INCIDENT, al.Policy.preset("classic", max_rounds=4, threshold=5))
    made = stage_payload(replay)
    assert made["rules"] == [
        {
            "rule": "budget",
            "position": 4,
            "count": 4,
            "threshold": 4,
            "after": False,
            "yields": False,
            "path": ["finalizing", "partial"],
            "reason": "",
        }
    ]


def test_a_history_that_depends_on_the_setting_is_not_recounted():
    assert (
        stage_payload(al.replay(INCIDENT, al.Policy.preset("classic", clear_on_progress=True)))[
            "recount"
        ]
        is False
    )


def test_matches_in_another_thread_are_texts():
    builder = TraceBuilder("plain")
    builder.call(builder.round(), "web_search", {"query": "alpha beta"}, call_id="one")
    builder.thread("helper", parent="main", parent_call="one")
    builder.call(builder.round(thread="helper"), "web_search", {"query": "alpha beta"})
    made = stage_payload(
        al.replay(builder.finish(), al.Policy.preset("classic", history_scope="tree")),
        thread="helper",
    )
    assert column(made["queries"]["match"]) == [-1]
    (foreign,) = column(made["queries"]["foreign"])
    assert made["texts"][foreign] == "alpha beta"


def test_secrets_do_not_leave():
    key = "sk-" + "a1B2" * 8
    assert key not in as_json(stage_payload(al.replay(searches([f"use {key}"] * 3), "classic")))


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ("no_progress", ["stalled", "finalizing", "partial"]),
        ("hard_budget_hit", ["finalizing", "partial"]),
    ],
)
def test_paths_are_those_of_the_machine(event, path):
    assert path_of(event) == path


def test_json_is_plain_and_whole():
    made = stage_payload(al.replay(INCIDENT, "classic"), lang="zh")
    back = json.loads(as_json(made))
    assert back["lang"] == "zh"
    assert base64.b64decode(back["rounds"]["num"]["data"]) == made["rounds"]["num"]["data"]
    assert back["words"].keys() == {"en", "zh"}


def test_ten_thousand_rounds_take_less_than_a_megabyte():
    rng = random.Random(1)
    words = [f"word{k}" for k in range(60)]
    trace = searches([" ".join(rng.sample(words, 4)) for _ in range(10_000)])
    assert len(as_json(stage_payload(al.replay(trace, "classic")))) < 1_000_000
