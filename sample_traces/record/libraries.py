"""The samples that other libraries write: LangChain's message classes, the official ATIF models."""

from __future__ import annotations

import atif
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict

from common import document, listing


def langchain_policy() -> str:
    """Return a Chinese run whose reworded searches do find something new each time."""
    steps = (
        ("新能源汽车 补贴 政策", ("2024 年补贴退坡公告", "https://gov.example.cn/a1", "购置补贴于 2022 年底终止。")),
        ("新能源汽车 补贴 政策 地方", ("上海置换补贴细则", "https://sh.example.cn/b7", "置换新能源车补贴 1 万元。")),
        ("新能源汽车 补贴 政策 地方 2026", ("北京报废更新补贴", "https://bj.example.cn/c3", "2026 年报废更新补贴 2 万元。")),
    )  # fmt: skip
    messages = [SystemMessage("你是政策研究助手。", id="m0"), HumanMessage("现在买新能源车还有哪些补贴？", id="m1")]
    for number, (query, hit) in enumerate(steps, 1):
        usage = {"input_tokens": 400 * number, "output_tokens": 40, "total_tokens": 400 * number + 40}
        call = {"name": "web_search", "args": {"query": query}, "id": f"call_{number}", "type": "tool_call"}
        messages.append(
            AIMessage("", id=f"m{2 * number}", tool_calls=[call], usage_metadata=usage,
                      response_metadata={"model_name": "scripted"})  # fmt: skip
        )
        messages.append(
            ToolMessage(listing(hit), id=f"m{2 * number + 1}", name="web_search", tool_call_id=f"call_{number}", status="success")
        )
    messages.append(
        AIMessage(
            "国家购置补贴已终止；地方仍有置换补贴（上海 1 万元）和报废更新补贴（北京 2 万元）。",
            id="m8", usage_metadata={"input_tokens": 1700, "output_tokens": 60, "total_tokens": 1760},
            response_metadata={"model_name": "scripted"},
        )  # fmt: skip
    )
    return document(messages_to_dict(messages))


def _turn(step: int, second: int, message: str, query: str | None = None, content: str = "", **more: object) -> atif.Step:
    """Return an agent's step with at most one search."""
    calls = observation = None
    if query is not None:
        call_id = f"call_{step}"
        calls = [atif.ToolCall(tool_call_id=call_id, function_name="web_search", arguments={"query": query})]
        result = atif.ObservationResult(source_call_id=call_id, content=content)
        observation = atif.Observation(results=[result])
    return atif.Step(
        step_id=step, source="agent", message=message, timestamp=f"2026-03-02T09:00:{second:02d}+00:00",
        tool_calls=calls, observation=observation,
        metrics=atif.Metrics(prompt_tokens=500 + 150 * step, completion_tokens=45, cost_usd=0.001), **more,
    )  # fmt: skip


def atif_subagent() -> str:
    """Return a run whose sub-agent goes in circles while the main agent waits for it."""
    agent = atif.Agent(name="scripted-researcher", version="1.0", model_name="scripted")
    same = listing(("Ferry timetable (summer)", "https://ferry.example.org/summer", "Summer sailings only."))
    queries = ("winter ferry Piran Venice", "Piran Venice ferry winter", "Venice ferry Piran winter timetable",
               "winter timetable ferry Piran Venice 2026")  # fmt: skip
    steps = [atif.Step(step_id=1, source="user", message="Find the winter ferry from Piran to Venice.")]
    steps += [_turn(n, 4 * n, "", query, same) for n, query in enumerate(queries, 2)]
    steps.append(_turn(6, 28, "No winter timetable was found."))
    inner = atif.Trajectory(schema_version="ATIF-v1.7", trajectory_id="scout", agent=agent, steps=steps)
    delegate = atif.Step(
        step_id=2, source="agent", message="I ask a scout to find it.", timestamp="2026-03-02T09:00:02+00:00",
        tool_calls=[atif.ToolCall(tool_call_id="call_task", function_name="delegate", arguments={"task": "winter ferry"})],
        observation=atif.Observation(results=[
            atif.ObservationResult(source_call_id="call_task", content="No winter timetable was found.",
                                   subagent_trajectory_ref=[atif.SubagentTrajectoryRef(trajectory_id="scout")])]),
        metrics=atif.Metrics(prompt_tokens=420, completion_tokens=38, cost_usd=0.001),
    )  # fmt: skip
    outer = atif.Trajectory(
        schema_version="ATIF-v1.7", session_id="demo", trajectory_id="demo-main", agent=agent,
        steps=[
            atif.Step(step_id=1, source="user", message="Is there a ferry from Piran to Venice in winter?"),
            delegate,
            _turn(3, 35, "I found no winter timetable; the operator lists summer sailings only."),
        ],
        subagent_trajectories=[inner],
    )  # fmt: skip
    return document(outer.to_json_dict())


FILES = {"langchain_policy_zh.json": langchain_policy, "atif_subagent_loop.json": atif_subagent}
