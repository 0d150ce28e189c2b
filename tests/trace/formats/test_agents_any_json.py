"""Logs of coding agents, almost right: a trace or the one error, whatever stands in a field."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlens.errors import TraceError
from agentlens.trace.formats.atif import to_atif
from agentlens.trace.load import load

#: Every format draws its own: together some thousands of inputs, and ten times more in full.
fuzzed = settings(max_examples=200 if os.environ.get("AGENTLENS_FULL") == "1" else 15)

KEYS = (
    "type payload timestamp role content text call_id name arguments input output action query "
    "status info last_token_usage total_token_usage input_tokens message summary id source "
    "subagent thread_spawn parent_thread_id ordinal exit_code result success metadata Ok Err "
    "observation response thought tool_calls execution_time history is_demo model_stats extra "
    "actions command returncode cost object usage kind key value tool_name tool_call_id tool_call "
    "action_id llm_message llm_response_id usage_to_metrics default accumulated_token_usage "
    "prompt_tokens args cause extras tool_call_metadata model_response choices llm_metrics ts "
    "condenseParent isSummary metrics toolCalls tokens thoughts displayContent resultDisplay "
    "functionResponse functionCall parts error usageMetadata uuid agentId subtype state time start "
    "end callID tool sessionId cache read title parentID synthetic children data exit attachments"
).split()
WORDS = (
    "user assistant tool text message reasoning function_call function_call_output exec "
    "token_count custom_tool_call web_search_call session_meta event_msg response_item "
    "success completed error "
    "cancelled ActionEvent ObservationEvent MessageEvent stats run agent environment step-finish "
    "step-start gemini message_update tool_result <read_file><path>a</path></read_file> c1 main "
    "2026-03-02T09:00:00Z tools.f({a:[1]}) Output: \ud83d"
).split()
leaves = (
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.sampled_from(WORDS)
    | st.text(max_size=3)
)  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=20,
)
bodies = st.dictionaries(st.sampled_from(KEYS), values, max_size=7)

SHAPES = {
    "codex": lambda b: {"type": "response_item", "payload": b, **b},
    "openhands": lambda b: {"kind": "ActionEvent", "source": "agent", "action": "run", **b},
    "mini_swe_agent": lambda b: {"info": b, "messages": [{"role": "assistant", **b}, b]},
    "sweagent": lambda b: {
        "trajectory": [{"action": "ls", "observation": "", **b}],
        "history": [b],
    },
    "cline": lambda b: {"role": "assistant", "ts": 1, "content": [b], **b},
    "gemini": lambda b: {"type": "gemini", "id": "m", "content": [b], "toolCalls": [b], **b},
    "qwen_code": lambda b: {"type": "assistant", "message": {"parts": [b]}, "uuid": "u", **b},
    "opencode": lambda b: {
        "info": b,
        "messages": [{"info": {"role": "assistant", **b}, "parts": [{"type": "tool", **b}]}],
        "children": [{"info": b, "messages": [b]}],
    },
}


@pytest.mark.parametrize("name", SHAPES)
@fuzzed
@given(drawn=st.lists(bodies, min_size=1, max_size=4))
def test_no_reader_crashes_on_records_almost_right(name, drawn):
    items = [SHAPES[name](body) for body in drawn]
    for source in (items, items[0]):
        for chosen in (name, None):
            try:
                trace = load(source, format=chosen)
            except TraceError as error:
                assert "\n" not in str(error)  # noqa: PT017
                continue
            to_atif(trace)
            assert all(
                seconds is None or seconds >= 0 for seconds in trace.tables["calls"]["seconds"]
            )
