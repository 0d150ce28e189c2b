"""Recorded spans with values replaced at random: a trace or the one error, nothing else."""

from __future__ import annotations

import copy
import io
import json
import random
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load_many

RECORDED = Path(__file__).parent / "recorded"
NAMES = ("langgraph_openinference.jsonl", "langgraph_otlp.json", "langgraph_langsmith.jsonl",
         "openai_agents.jsonl", "responses_items.json", "mlflow.json")  # fmt: skip
FORMATS = ("openinference", "otlp", "langsmith", "openai_agents", "responses", "mlflow",
           "langfuse", "weave", "readable_span")  # fmt: skip
WRONG = (None, True, -1, 10**25, 0.5, float("nan"), "", "x", "{'a': [", '{"a": 1}', [], {}, [[]],
         [{}], {"a": {"b": None}}, {"type": []}, "2026-01-01T00:00:00Z", "\ud83d")  # fmt: skip


def records(name):
    text = (RECORDED / name).read_text("utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def mutate(value, dice, chance):
    """Return a value with some of its parts replaced, dropped or doubled."""
    if dice.random() < chance:
        return dice.choice(WRONG)
    if isinstance(value, dict):
        return {k: mutate(v, dice, chance) for k, v in value.items() if dice.random() > chance / 2}
    if isinstance(value, list):
        items = [mutate(v, dice, chance) for v in value]
        return items * 2 if dice.random() < chance else items
    if isinstance(value, str) and value[:1] in "[{" and dice.random() < 0.3:
        try:
            return json.dumps(mutate(json.loads(value), dice, chance))
        except ValueError:
            return value
    return value


@pytest.mark.parametrize("name", NAMES)
def test_no_reader_of_spans_crashes(name, count):
    kept = records(name)
    read = 0
    dice = random.Random(name)
    for turn in range(count(40, 2000)):
        drawn = mutate(copy.deepcopy(kept), dice, dice.choice((0.002, 0.02, 0.1)))
        if not isinstance(drawn, list) or not drawn:
            continue
        chosen = dice.choice(FORMATS) if turn % 3 == 0 else None
        try:
            source = io.StringIO("\n".join(map(json.dumps, drawn)))
            traces = [*iter(load_many(source, format=chosen, progress=False))]
        except TraceError as error:
            assert "\n" not in str(error)  # noqa: PT017
            continue
        read += bool(traces)
        for trace in traces:
            tables = trace.tables
            assert set(tables["calls"]["thread"]) <= set(tables["threads"]["thread"])
            assert len(set(map(len, tables["calls"].values()))) == 1
    assert read > 10
