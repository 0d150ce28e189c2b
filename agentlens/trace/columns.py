"""The columns of a trace's tables, documented here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["COLUMNS", "FRAME_COLUMNS"]

#: What each table holds. Times are seconds since the epoch (UTC), durations are seconds,
#: sizes are bytes, money is US dollars; ``None`` means that the log does not say.
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "threads": {
        "thread": "name of the thread; `main`, or one for each sub-agent or branch",
        "parent": "the thread that started it",
        "parent_call": "call_id of the call that started it",
        "kind": "main, subagent, branch, dfs_sibling or simulated_user",
        "name": "what the log calls it",
        "abandoned": "True where a rewind left it behind",
    },
    "rounds": {
        "thread": "thread of the round",
        "round": "number within its thread, from 1; 0 is a preamble, shown and never counted",
        "request": "number of the request within its thread, from 1",
        "text": "what the model said",
        "reasoning": "what the model thought, where the log keeps it",
        "model": "model that answered",
        "started": "when the response arrived",
        "seconds": "from this response to the next one of the same request, or as the log says",
        "time_quality": "real, derived or none",
        "input_tokens": "prompt tokens, cached ones included",
        "cached_tokens": "of those, read from a cache",
        "cache_write_tokens": "of those, written to a cache",
        "output_tokens": "answer tokens, reasoning included",
        "reasoning_tokens": "of those, reasoning",
        "tokens": "all tokens of the round: as the log says, or input and output added up",
        "cost": "what the log says the round cost; else what a given price table says",
        "message_id": "id of the model's message",
        "copied": "True where a resumed session repeats an older line",
        "injected": "True where the host wrote it in the model's name",
        "hidden": "True where the model no longer saw it (condensed, truncated)",
        "line": "1-based line, or item, of the source",
    },
    "calls": {
        "call": "number of the call in the trace, from 1",
        "round_row": "row of its round in the rounds table, from 0",
        "thread": "thread of its round",
        "round": "number of its round",
        "request": "request of its round",
        "order": "place within its round, from 0",
        "call_id": "id in the log, or one made up",
        "id_generated": "True where the id was made up",
        "tool": "name of the tool, unwrapped",
        "tool_raw": "name as the log writes it",
        "namespace": "server or toolset of the tool",
        "effect": "search, read, write, run, poll, think, ask, finish or unknown",
        "args": "arguments, parsed (a dict), or None",
        "args_raw": "arguments as text, where they could not be parsed",
        "args_state": "parsed, unparsed, missing or text",
        "queries": "tuple of the queries that it searches for",
        "query": "the same as one text",
        "target": "path, URL or element that it acts on",
        "status": "ok, error, denied, timeout, interrupted or missing",
        "error_type": "what the log calls the error",
        "result": "result text",
        "truncated": "True where the log shortened the result",
        "exit_code": "exit status of a command",
        "parts": "other parts of the result, such as `image/png sha256:…`",
        "started": "when the call started",
        "seconds": "how long it took",
        "tokens": "tokens that the log assigns to this call",
        "cost": "cost that the log assigns to this call",
        "paired_by": "how its result was found: id, adjacency, same_record, next_obs",
        "line": "1-based line, or item, of the source",
    },
    "events": {
        "kind": "user_message, compaction, interrupt, api_error, retry, checkpoint, guard_fired, "
        "approval or other",
        "thread": "thread in which it happened",
        "request": "request that it belongs to; a user message belongs to the one it starts",
        "after_row": "row of the last round before it in the rounds table, or -1",
        "started": "when",
        "text": "what the log says",
        "line": "1-based line, or item, of the source",
    },
}

#: Columns that only the frame of a table has, since computing them costs as much as reading.
FRAME_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "calls": {
        "result_bytes": "size of the result's text in UTF-8",
        "fingerprint": "of the tool and its arguments, keys sorted",
        "result_fingerprint": "of the result's text",
    },
}
