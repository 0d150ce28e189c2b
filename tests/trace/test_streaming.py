"""Large files of many runs: memory follows one run, and what is read is the same as when held."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentlens.trace import document
from agentlens.trace.formats import gather
from agentlens.trace.load import load_many

RECORDED = Path(__file__).parent / "formats" / "recorded"
ID = re.compile(r'"trace_?[iI]d": "([^"]+)"')


def renamed(lines: list[str], run: int) -> list[str]:
    """Give the trace of a recorded run another id."""
    whole = "\n".join(lines)
    (old,) = {match[1] for match in ID.finditer(whole)}
    new = f"{run + 1:032x}" if old.endswith("=") else f"{old[:-6]}{run:06d}"
    return whole.replace(old, new).split("\n")


def recorded(name: str, format: str) -> list[str]:
    """Return a recorded run, a span a line."""
    if format != "otlp":
        return (RECORDED / name).read_text("utf-8").splitlines()
    record = json.loads((RECORDED / name).read_text("utf-8"))
    spans = [s for r in record["resourceSpans"] for p in r["scopeSpans"] for s in p["spans"]]
    return [json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) for span in spans]


def mixed(name: str, format: str, runs: int, seed: int = 1) -> list[str]:
    """Return runs whose spans lie among each other, each run's in their order."""
    base = recorded(name, format)
    dice = random.Random(seed)
    waiting = [iter(renamed(base, run)) for run in range(runs)]
    out = []
    while waiting:
        chosen = dice.choice(waiting[:5])
        line = next(chosen, None)
        if line is None:
            waiting.remove(chosen)
        else:
            out.append(line)
    return out


SPANS = (
    ("langgraph_openinference.jsonl", "openinference"),
    ("langgraph_otlp.json", "otlp"),
    ("langgraph_langsmith.jsonl", "langsmith"),
    ("openai_agents.jsonl", "openai_agents"),
)


def seen(path: Path) -> list[tuple]:
    return [(t.meta.trace_id, t.tables, t.notes) for t in load_many(path, progress=False)]


@pytest.mark.parametrize(("name", "format"), SPANS)
@pytest.mark.parametrize("shape", ["lines", "damaged", "array", "indented", "batches"])
def test_what_is_read_again_is_what_was_held(
    tmp_path: Path, monkeypatch, name: str, format: str, shape: str
):
    lines = mixed(name, format, 7)
    odd = ["", '{"half": ', "\x00\x00", "  " + lines.pop() + "  ", '"北京天气 \U0001f600"']
    if shape == "lines":
        text = "\n\n" + "\n".join(lines)
    elif shape == "damaged":
        text = "\n".join(itertools.chain(lines[:9], odd, lines[9:])) + "\n"
    elif shape == "batches" and format == "otlp":
        records = [json.loads(line)["resourceSpans"][0] for line in lines]
        pieces = [records[n : n + 9] for n in range(0, len(records), 9)]
        text = "\n".join(json.dumps({"resourceSpans": piece}) for piece in pieces)
    else:
        array = [json.loads(line) for line in lines] + ["\ud83d cut", "北京天气 \U0001f600"]
        array = array[-2:] + array[:-2] if format == "otlp" else array
        text = json.dumps(array, indent=1 if shape == "indented" else None, ensure_ascii=False)
    data = text.encode("utf-8", "surrogatepass")
    path = tmp_path / "spans.json"
    path.write_bytes(data if shape != "lines" else b"\xef\xbb\xbf" + data)
    held = seen(path)
    assert len(held) == 7
    monkeypatch.setattr(gather, "HELD", -1)
    assert seen(path) == held
    monkeypatch.setattr(document, "BIG_LINE", 4096)  # arrays are streamed
    if shape != "lines":
        assert [row[:2] for row in seen(path)] == [row[:2] for row in held]
    packed = tmp_path / "spans.gz"  # cannot be read again at any place: is held
    packed.write_bytes(gzip.compress(data))
    assert [row[:2] for row in seen(packed)] == [row[:2] for row in held]


def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(gather, "HELD", -1)
    path = tmp_path / "spans.jsonl"
    text = "\n".join(mixed(*SPANS[0], 7))
    path.write_text(text, "utf-8")
    corpus = load_many(path, progress=False)
    traces = iter(corpus)
    next(traces)
    with path.open("r+b") as file:
        file.write(b"x" * len(text.encode()))
    assert list(traces) == []
    assert len(corpus.failures) == 6
    assert all("changed while it was read" in why for _, why in corpus.failures)


#: Prints what loading added to the process's peak, in bytes, and how many traces and calls came.
MEASURE = """
import pathlib, sys
from agentlens.trace.formats import FORMATS, gather, get
from agentlens.trace.load import load_many
for name in FORMATS:
    get(name)
gather.HELD = int(sys.argv[2])
def peak():
    (line,) = (x for x in open("/proc/self/status") if x.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
before, traces, calls = peak(), 0, 0
for trace in load_many(sys.argv[1], progress=False):
    traces, calls = traces + 1, calls + len(trace)
print(peak() - before, traces, calls)
"""


def filler(dice: random.Random, size: int) -> str:
    return f"{dice.getrandbits(400):x} " * (size // 100)


def large(path: Path, format: str, size: int) -> int:
    """Write runs of three calls each, with large results; return their number."""
    dice, run, written = random.Random(1), 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[" if format == "tau" else "")
        while written < size:
            run += 1
            for line in one_run(format, run, dice):
                comma = ", " if format == "tau" and run > 1 else ""
                written += file.write(comma + line + ("" if format == "tau" else "\n"))
        file.write("]" if format == "tau" else "")
    return run


def one_run(format: str, run: int, dice: random.Random) -> list[str]:
    calls = [(f"{run}-{n}", json.dumps({"q": f"{run} {n}"}), filler(dice, 9000)) for n in range(3)]
    if format in ("openai", "tau"):
        messages: list[dict] = [{"role": "user", "content": "go"}]
        for name, args, result in calls:
            call = {"id": name, "type": "function", "function": {"name": "w", "arguments": args}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": name, "content": result})
        if format == "openai":
            return [json.dumps({"messages": messages})]
        return [json.dumps({"task_id": run, "trial": 0, "reward": 1, "traj": messages})]
    lines = []
    for n, (name, args, result) in enumerate(calls):
        if format == "langsmith":
            record = {"id": name, "run_type": "tool", "trace_id": str(run), "name": "w",
                      "start_time": f"2026-01-01T00:00:0{n}", "end_time": f"2026-01-01T00:00:0{n}",
                      "inputs": json.loads(args), "outputs": {"output": result},
                      "parent_run_id": None}  # fmt: skip
        elif format == "openinference":
            record = {"name": "w", "context": {"trace_id": f"{run:032x}", "span_id": f"{n + 1:x}"},
                      "parent_id": None, "start_time": f"2026-01-01T00:00:0{n}",
                      "end_time": f"2026-01-01T00:00:0{n}",
                      "attributes": {"openinference.span.kind": "TOOL", "tool.name": "w",
                                     "input.value": args, "output.value": result}}  # fmt: skip
        else:
            pairs = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "w",
                "gen_ai.tool.call.arguments": args,
                "gen_ai.tool.call.result": result,
            }
            attributes = [{"key": k, "value": {"stringValue": v}} for k, v in pairs.items()]
            span = {"traceId": f"{run:032x}", "spanId": f"{n + 1:016x}", "name": "t",
                    "startTimeUnixNano": str(n * 10**9), "endTimeUnixNano": str(n * 10**9),
                    "attributes": attributes}  # fmt: skip
            record = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        lines.append(json.dumps(record))
    return lines


@pytest.mark.parametrize("format", ["openai", "tau", "langsmith", "openinference", "otlp"])
def test_memory_follows_one_run_and_not_the_file(tmp_path: Path, root: Path, count, format: str):
    size = count(40_000_000, 200_000_000)
    path = tmp_path / "many.json"
    runs = large(path, format, size)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path), str(1 << 20)],
        capture_output=True, text=True, check=True, cwd=root,
    )  # fmt: skip
    added, traces, calls = map(int, done.stdout.split())
    assert (traces, calls) == (runs, 3 * runs)
    # Of an array on one line a window of 32 MB is read at once, as bytes and as text.
    assert added < (120_000_000 if format == "tau" else 16_000_000)
