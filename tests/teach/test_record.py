"""Incident records: the shape of the engine of the incident, and one-line errors for the rest."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import TraceError
from agentlens.teach.record import INCIDENT, is_record, read_record, read_records

LINE = {
    "userQuery": "背景", "outcome": "max_rounds", "roundsUsed": 5, "maxRoundsCfg": 5,
    "toolCallCount": 5, "llmCallCount": 10, "durationMs": 35875,
}  # fmt: skip


def test_the_record_of_the_incident(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(LINE, ensure_ascii=False) + "\n\n" + json.dumps(LINE), "utf-8")
    assert read_records(path) == [INCIDENT, INCIDENT]
    assert INCIDENT.at_limit
    assert INCIDENT.seconds == 35.875


def test_what_it_does_not_say_is_none():
    record = read_record({"userQuery": None, "roundsUsed": None})
    assert record.at_limit is None
    assert record.seconds is None
    assert read_record({"userQuery": "a", "roundsUsed": 3, "maxRoundsCfg": 5}).at_limit is False
    assert read_record({"userQuery": "a", "roundsUsed": 5, "maxRoundsCfg": 5}).at_limit is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no record"),
        ("{", "line 1: is no JSON"),
        ("[" * 100_000, "line 1: is no JSON"),
        ('{"round": 1}', "line 1: is no incident record"),
        (json.dumps({**LINE, "roundsUsed": "5"}), "line 1: roundsUsed: '5' is no whole number"),
        (json.dumps(LINE) + '\n{"userQuery": 1, "roundsUsed": 1.5}', "line 2: roundsUsed: 1.5"),
        (json.dumps({**LINE, "durationMs": float("inf")}), "durationMs: inf is no"),
        (json.dumps({**LINE, "durationMs": True}), "durationMs: True is no"),
    ],
)
def test_bad_input_is_one_line(tmp_path, text, said):
    path = tmp_path / "r.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(TraceError) as error:
        read_records(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there():
    with pytest.raises(TraceError, match=r"nowhere.jsonl: cannot be read"):
        read_records("nowhere.jsonl")


leaves = st.none() | st.booleans() | st.floats() | st.integers() | st.text()
lines = st.fixed_dictionaries({}, optional=dict.fromkeys(LINE, leaves))


@given(lines)
def test_anything_is_a_record_or_an_error(item):
    if is_record(item):
        try:
            read_record(item)
        except TraceError:
            return
