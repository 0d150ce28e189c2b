"""Any JSON, and records that are almost right, made of the words that the readers look for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

_KEYS = """
type role content message messages id name input tool_use_id tool_call_id tool_calls function
arguments usage input_tokens output_tokens text thinking uuid parentUuid sessionId timestamp
isSidechain agentId toolUseResult exitCode is_error isMeta isCompactSummary subtype data kwargs lc
status usage_metadata response_metadata additional_kwargs invalid_tool_calls args values metadata
traj reward task_id info task trace round tool result error event thread seconds steps agent source
step_id observation results source_call_id extra agentlens metrics subagent_trajectories
trajectory_id subagent_trajectory_ref function_name model ts started response choices request
tool_call_ids function_call condenseParent isSummary payload call_id output action query summary
last_token_usage total_token_usage subagent thread_spawn parent_thread_id ordinal exit_code success
Ok Err thought execution_time history is_demo model_stats actions command returncode cost object
kind key value tool_name tool_call action_id llm_message llm_response_id usage_to_metrics default
accumulated_token_usage prompt_tokens cause extras tool_call_metadata model_response llm_metrics
toolCalls tokens thoughts displayContent resultDisplay functionResponse functionCall parts
usageMetadata state time start end callID cache read title parentID synthetic children exit
attachments span_id trace_id parent_id context attributes start_time end_time span_kind child_spans
span_attributes events scopeSpans spans resourceSpans traceId spanId stringValue run_type inputs
outputs dotted_order child_runs op_name started_at ended_at summary weave observations traceId
startTime usageDetails level span_data workflow_name conversations from turn_history
observations rewards tree node_type samples simulations ticks requestor model_output
interacted_element question mistake_step code_action timing token_usage
"""
_WORDS = """
user assistant system tool ai human text tool_use tool_result thinking constructor summary
compact_boundary image queue-operation agent <task-notification> Error: 2026-03-02T09:00:00Z u1 u2
c1 main message reasoning function_call function_call_output exec token_count custom_tool_call
web_search_call session_meta event_msg response_item success completed error cancelled ActionEvent
ObservationEvent MessageEvent stats run environment step-finish step-start gemini message_update
<read_file><path>a</path></read_file> tools.f({a:[1]}) Output: llm chain LLM TOOL AGENT GENERATION
trace trace.span generation function gpt observation ToolCallRequestEvent Thought Action
"""
KEYS = tuple(dict.fromkeys(_KEYS.split()))
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**25)
    | st.floats()
    | st.sampled_from((*dict.fromkeys(_WORDS.split()), "\ud83d"))
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
bodies = st.dictionaries(st.sampled_from(KEYS), values, max_size=7)

_Body = dict[str, Any]


def _spans(record: _Body) -> _Body:
    return {"span_id": "1", "trace_id": "2", "start_time": "2026-03-02T09:00:00Z",
            "parent_id": None, **record}  # fmt: skip


#: A record of each format around a body; of those that are not here, the body is the record.
_SHAPES: dict[str, Callable[[_Body], _Body]] = {
    "claude_code": lambda b: {"type": "assistant", "uuid": "u1", "sessionId": "s", "message": b},
    "codex": lambda b: {"type": "response_item", "payload": b, **b},
    "cline": lambda b: {"role": "assistant", "ts": 1, "content": [b], **b},
    "opencode": lambda b: {
        "info": b,
        "messages": [{"info": {"role": "assistant", **b}, "parts": [{"type": "tool", **b}]}],
        "children": [{"info": b, "messages": [b]}],
    },
    "qwen_code": lambda b: {"type": "assistant", "message": {"parts": [b]}, "uuid": "u", **b},
    "gemini": lambda b: {"type": "gemini", "id": "m", "content": [b], "toolCalls": [b], **b},
    "openhands": lambda b: {"kind": "ActionEvent", "source": "agent", "action": "run", **b},
    "mini_swe_agent": lambda b: {"info": b, "messages": [{"role": "assistant", **b}, b]},
    "sweagent": lambda b: {
        "trajectory": [{"action": "ls", "observation": "", **b}],
        "history": [b],
    },
    "atif": lambda b: {"agent": {}, "steps": [{"source": "agent", "step_id": 1, **b}]},
    "tau": lambda b: {"traj": [{"role": "assistant", **b}], "reward": 0, "task_id": 0},
    "tau2": lambda b: {"simulations": [{"messages": [{"role": "assistant", **b}, b], "id": "1"}]},
    "otlp": lambda b: {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1", **b}]}]}]},
    "mlflow": lambda b: {"info": b, "data": {"spans": [_spans(b)]}},
    "openinference": lambda b: _spans({"attributes": {"openinference.span.kind": "LLM", **b}}),
    "readable_span": lambda b: _spans({"context": {"span_id": "1"}, "attributes": b, **b}),
    "openai_agents": lambda b: {"object": "trace.span", "id": "1", "span_data": b, **b},
    "langsmith": lambda b: {"run_type": "llm", "id": "1", **b},
    "langfuse": lambda b: {"type": "GENERATION", "traceId": "1", "startTime": "x", **b},
    "weave": lambda b: {"op_name": "weave:///e/p/op/n:d", "inputs": b, **b},
    "langchain": lambda b: {"type": "ai", "content": "", **b},
    "intercode": lambda b: {"turn_history": {"actions": ["ls"], "observations": [""], **b}, **b},
    "toolbench": lambda b: {"tree": {"tree": {"node_type": "Action", "children": [b], **b}}},
    "inspect_ai": lambda b: {"eval": b, "samples": [{"messages": [b], "events": [b]}], **b},
    "smolagents": lambda b: {"step_number": 1, "tool_calls": [b], **b},
    "browser_use": lambda b: {"history": [{"model_output": {"action": [b]}, "result": [b], **b}]},
    "sharegpt": lambda b: {"conversations": [{"from": "gpt", "value": "<tool_call>{}", **b}, b]},
    "plain": lambda b: {"round": 1, "tool": "t", **b},
    "anthropic": lambda b: {"role": "assistant", "content": [b]},
    "openai": lambda b: {"role": "assistant", **b},
}  # fmt: skip


def almost(format: str, body: _Body) -> _Body:
    """Return a record of a format that holds a drawn body."""
    return _SHAPES.get(format, lambda b: b)(body)
