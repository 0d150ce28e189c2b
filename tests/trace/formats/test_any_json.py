"""Whatever JSON a reader is given, it makes a trace or raises the one error; nothing else."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlens.errors import TraceError
from agentlens.trace.formats import FORMATS
from agentlens.trace.formats.atif import to_atif
from agentlens.trace.load import load

#: Every format draws its own: together some thousands of inputs, and ten times more in full.
fuzzed = settings(max_examples=200 if os.environ.get("AGENTLENS_FULL") == "1" else 15)

KEYS = (
    "type role content message messages id name input tool_use_id tool_call_id tool_calls function "
    "arguments usage input_tokens output_tokens text thinking uuid parentUuid sessionId timestamp "
    "isSidechain agentId toolUseResult exitCode is_error isMeta isCompactSummary subtype data "
    "kwargs lc status usage_metadata response_metadata additional_kwargs invalid_tool_calls args "
    "values "
    "metadata traj reward task_id info task trace round tool result error event thread seconds "
    "steps agent source step_id observation results source_call_id extra agentlens metrics "
    "subagent_trajectories trajectory_id subagent_trajectory_ref function_name model ts started "
    "response choices kwargs request tool_call_ids function_call condenseParent isSummary"
).split()
WORDS = (
    "user assistant system tool ai human text tool_use tool_result thinking constructor summary "
    "compact_boundary image queue-operation agent <task-notification> Error: 2026-03-02T09:00:00Z "
    "u1 u2 c1 main \ud83d"
).split()
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**25)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=3)
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=2), inner, max_size=6)
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("name", FORMATS)
@fuzzed
@given(items=st.lists(values, min_size=1, max_size=4))
def test_no_reader_crashes(name: str, items):
    try:
        trace = load(items, format=name)
    except TraceError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    for table in ("threads", "rounds", "calls", "events"):
        lengths = {len(cells) for cells in trace.tables[table].values()}
        assert len(lengths) == 1
    to_atif(trace)


def record(kind: str, body):
    return {
        "claude_code": {"type": "assistant", "uuid": "u1", "sessionId": "s", "message": body},
        "atif": {"agent": {}, "steps": [{"source": "agent", "step_id": 1, **body}]},
        "tau": {"traj": [{"role": "assistant", **body}], "reward": 0, "task_id": 0},
        "langchain": {"type": "ai", "content": "", **body},
        "plain": {"round": 1, "tool": "t", **body},
        "anthropic": {"role": "assistant", "content": body},
        "openai": {"role": "assistant", **body},
    }.get(kind, body)


bodies = st.dictionaries(st.sampled_from(KEYS), values, max_size=6)


@pytest.mark.parametrize("name", FORMATS)
@fuzzed
@given(drawn=st.lists(bodies, min_size=1, max_size=4))
def test_no_reader_crashes_on_records_almost_right(name: str, drawn):
    items = [record(name, body) for body in drawn]
    for source in (items, items[0]):
        for chosen in (name, None):
            try:
                trace = load(source, format=chosen)
            except TraceError as error:
                assert "\n" not in str(error)  # noqa: PT017
                continue
            to_atif(trace)
