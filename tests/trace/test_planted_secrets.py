"""Secrets planted in texts as traces have them, of kinds from lists that are not ours."""

from __future__ import annotations

import json

import agentlens as al
from agentlens.trace.redact_trace import masked, masker_of
from benchmarks.planted import left_of, planted
from benchmarks.redact import SEED, measure, ours
from benchmarks.secret_kinds import KINDS


def test_nearly_all_secrets_are_masked_and_hardly_an_ordinary_string_is_touched(count):
    got = measure(ours(), count(150, 2000), count(800, 20_000))
    assert got["kinds"] >= 30
    assert got["masked"] >= 0.99 * got["secrets"], got["missed"]
    assert got["touched"] <= 0.01 * got["strings"], got["touched kinds"]


def test_what_was_not_seen_when_the_patterns_were_written(count):
    """Values and places of another seed; the rate may not rest on one draw."""
    got = measure(ours(), count(200, 2000), 0, seed=SEED + 1)
    assert got["masked"] >= 0.99 * got["secrets"], got["missed"]


def test_the_measure_sees_what_is_left():
    for one in planted(len(KINDS), SEED):
        assert left_of(one, one.text), one.kind
        assert not left_of(one, one.text.replace(one.secret, "<x>")) or "key" in one.kind


def test_secrets_in_every_column_of_a_trace_are_masked_with_one_name_each():
    one, other = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8", "sk-ant-api03-" + "Zx9_Yw8-" * 8
    rows = [
        {"round": 1, "tool": "run", "args": {"command": f"echo correct4horse {one}"},
         "result": f"ok {other}", "thought": f"use {one}", "text": "me@example.org"},
        {"round": 2, "tool": "run", "args": {"password": "correct4horse", "env": {"K": other}},
         "result": json.dumps({"token": one})},
    ]  # fmt: skip
    trace = al.load(rows)
    clear, counts = masked(trace)
    told = repr(clear.tables)
    assert not [s for s in (one, other, "correct4horse", "me@example.org") if s in told]
    assert counts == {"api-key": 2, "secret": 1, "email": 1}
    calls = clear.tables["calls"]
    name = masker_of(trace)(one)
    assert name in repr(calls["args"][0])
    assert name in calls["result"][1]
    assert calls["args"][1]["password"] in calls["args"][0]["command"]
