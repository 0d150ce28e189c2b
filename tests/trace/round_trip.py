"""Random runs in the plain format, and what of two traces must be equal."""

from __future__ import annotations

from hypothesis import strategies as st

#: Columns that say where in the source something stood.
PLACES = frozenset({"line"})
KEY = "sk-ant-api03-" + "Q4x7mK2p" * 11

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["北京 天气", "Error: no such file", "exit code 3", "", "mcp__srv__tool", "a\nb", "{", "[1]"]
)
amounts = st.integers(0, 2**40) | st.floats(0, 1e6)
tokens = st.integers(0, 2**40)
times = st.floats(1.6e9, 1.9e9) | st.integers(1_600_000_000, 1_900_000_000) | st.just(
    "2026-03-02T09:00:00.123456+08:00"
)  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
tools = st.sampled_from(
    ["web_search", "Bash", "mcp__srv__find", "functions.f", "execute-tool", "工具"]
) | words.filter(bool)
args = (
    st.none() | words | st.dictionaries(words, values, max_size=3)
    | st.fixed_dictionaries({"query": words})
    | st.fixed_dictionaries({"tool_name": words, "params": st.dictionaries(words, words)})
)  # fmt: skip
threads = st.sampled_from(["main", "main", "scout", "子代理"])
calls = st.fixed_dictionaries(
    {"tool": st.none() | tools, "step": st.integers(0, 2), "thread": threads},
    optional={
        "args": args, "result": words, "error": st.booleans(), "exit_code": st.integers(-1, 2),
        "text": words, "thought": words, "seconds": amounts, "tokens": tokens, "cost": amounts,
        "input_tokens": tokens, "output_tokens": tokens, "cached_tokens": tokens,
        "reasoning_tokens": tokens, "started": times, "model": words,
        "call_id": st.sampled_from(["c1", "c2", "c3"]) | words, "time_quality":
        st.sampled_from(["real", "derived"]), "total": st.booleans(),
        "status": st.sampled_from("ok error denied timeout interrupted".split()),
    },
)  # fmt: skip
events = st.fixed_dictionaries(
    {"event": st.sampled_from("compaction retry approval other user_message user thread".split()),
     "thread": threads},
    optional={"text": words, "started": times},
)  # fmt: skip


@st.composite
def runs(draw):
    """Draw rows of a run: threads that interleave, parallel calls, several requests, events."""
    number: dict[str, int] = {}
    rows = []
    for drawn in draw(st.lists(calls | calls | events, max_size=14)):
        row, thread = dict(drawn), drawn["thread"]
        if row.get("event") == "user":
            row = {"role": "user", **{k: v for k, v in row.items() if k != "event"}}
        elif row.get("event") == "thread":
            row = {"event": "thread", "thread": thread, "parent": "main", "parent_call": "c1"}
        elif "event" not in row:
            number[thread] = number.get(thread, 1) + row.pop("step")
            row["round"] = number[thread]
        rows.append(row)
    return [*rows, {"round": max(number.values(), default=0) + 1, "tool": None, "text": "end"}]


def tables(trace, without=PLACES):
    """Return the tables of a trace without some columns."""
    return {
        name: {column: cells for column, cells in table.items() if column not in without}
        for name, table in trace.tables.items()
    }
