"""Loading a Claude Code log, beside the time that orjson alone needs to parse its lines."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_WORDS = (
    "def return import self config client request response error handler async await yield value "
    "index buffer token parse format column window schema worker queue retry timeout cache "
    "session user message result status update branch commit review test assert fixture"
).split()


def _text(rng: random.Random, size: int, pool: list[str]) -> str:
    """Return text of about `size` characters, in lines, cut from a pool that looks like code."""
    start = rng.randrange(0, 100)
    lines: list[str] = []
    have = 0
    while have < size:
        line = pool[(start + len(lines) * 7) % len(pool)]
        lines.append(line)
        have += len(line) + 1
    return "\n".join(lines)[:size]


def _sizes(rng: random.Random) -> tuple[str, dict[str, Any], int]:
    """Return a tool, arguments and the size of its result, as they occur in real sessions."""
    name = rng.choices(
        ["Read", "Bash", "Edit", "Grep", "WebSearch", "Write", "TodoWrite"],
        [30, 30, 14, 12, 4, 4, 6],
    )[0]
    path = f"/home/user/project/src/{rng.choice(_WORDS)}/{rng.choice(_WORDS)}.py"
    query = " ".join(rng.choices(_WORDS, k=6))
    return {
        "Read": (name, {"file_path": path}, int(min(rng.lognormvariate(8.4, 1.0), 60_000))),
        "Bash": (
            name,
            {"command": f"pytest -k {query!r}", "description": query},
            int(min(rng.lognormvariate(6.8, 1.4), 30_000)),
        ),
        "Edit": (name, {"file_path": path, "old_string": query * 4, "new_string": query * 6}, 900),
        "Grep": (name, {"pattern": query, "path": path}, int(rng.lognormvariate(6.5, 1.2))),
        "WebSearch": (name, {"query": query}, 5_000),
        "Write": (name, {"file_path": path, "content": query * 60}, 120),
        "TodoWrite": (name, {"todos": [{"content": query, "status": "pending"}] * 5}, 150),
    }[name]


def records(rng: random.Random, pool: list[str]) -> Iterator[dict[str, Any]]:
    """Yield records of one endless session: blocks apart, usage on each, sub-agents inline."""
    clock, parent, number = _START, None, 0

    def record(kind: str, side: bool, **fields: Any) -> dict[str, Any]:
        nonlocal clock, parent, number
        number += 1
        clock += timedelta(milliseconds=rng.randrange(20, 4_000))
        uuid = f"{rng.getrandbits(128):032x}"
        uuid = f"{uuid[:8]}-{uuid[8:12]}-{uuid[12:16]}-{uuid[16:20]}-{uuid[20:]}"
        made = {
            "parentUuid": parent, "isSidechain": side, "userType": "external",
            "cwd": "/home/user/project", "sessionId": "11111111-2222-3333-4444-555555555555",
            "version": "2.1.40", "gitBranch": "main", **({"agentId": "a1b2c3d4"} if side else {}),
            "type": kind, **fields, "uuid": uuid,
            "timestamp": clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }  # fmt: skip
        parent = uuid
        return made

    while True:
        side = rng.random() < 0.1
        if rng.random() < 0.04:
            parent = None if number == 0 else parent
            yield record("user", False, message={"role": "user", "content": _text(rng, 200, pool)})
        blocks: list[dict[str, Any]] = []
        if rng.random() < 0.3:
            thought = {
                "type": "thinking",
                "thinking": _text(rng, 600, pool),
                "signature": "c" * 400,
            }
            blocks.append(thought)
        if rng.random() < 0.6:
            blocks.append({"type": "text", "text": _text(rng, 180, pool)})
        calls = [_sizes(rng) for _ in range(rng.choices([1, 2, 3], [8, 2, 1])[0])]
        ids = [f"toolu_{rng.getrandbits(96):024x}" for _ in calls]
        blocks += [
            {"type": "tool_use", "id": i, "name": n, "input": a}
            for i, (n, a, _) in zip(ids, calls, strict=True)
        ]
        message_id = f"msg_{rng.getrandbits(96):024x}"
        for block in blocks:
            usage = {
                "input_tokens": 4, "cache_creation_input_tokens": rng.randrange(9_000),
                "cache_read_input_tokens": rng.randrange(150_000),
                "output_tokens": rng.randrange(900),
                "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
                "service_tier": "standard",
            }  # fmt: skip
            message = {
                "model": "claude-opus-4-5", "id": message_id, "type": "message",
                "role": "assistant", "content": [block], "stop_reason": None, "usage": usage,
            }  # fmt: skip
            yield record("assistant", side, message=message, requestId=f"req_{number:024d}")
        for call_id, (name, args, size) in zip(ids, calls, strict=True):
            text = _text(rng, size, pool)
            structured: Any = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
            if name == "Read":
                file = {"filePath": args["file_path"], "content": text, "numLines": 80}
                structured = {"type": "text", "file": file}
            block = {"tool_use_id": call_id, "type": "tool_result", "content": text}
            if name == "Bash":
                block["is_error"] = False
            message = {"role": "user", "content": [block]}
            yield record("user", side, message=message, toolUseResult=structured)


def write_log(path: Path, size: int, seed: int = 1) -> None:
    """Write a log of about `size` bytes."""
    rng = random.Random(seed)
    pool = [
        " " * rng.choice([0, 4, 8]) + " ".join(rng.choices(_WORDS, k=rng.randrange(3, 14)))
        + rng.choice(["", "", "", "", "  # → 完成", " ✓"])
        for _ in range(997)
    ]  # fmt: skip
    with path.open("w", encoding="utf-8", newline="\n") as file:
        written = 0
        for record in records(rng, pool):
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            written += len(line.encode()) + 1
            file.write(line + "\n")
            if written >= size:
                return


_MEASURE = """
import resource, sys, time
path, what = sys.argv[1:]
if what == "load":
    from agentlens.trace.formats import FORMATS, get
    from agentlens.trace.load import load
    for name in FORMATS:
        get(name)
else:
    import orjson
wall, cpu = time.perf_counter(), time.process_time()
if what == "load":
    rows = len(load(path))
else:
    rows = 0
    with open(path, "rb") as file:
        for line in file:
            orjson.loads(line)
            rows += 1
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
print(cpu, wall, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, rows)
"""


def measure(path: Path, what: str) -> tuple[float, float, int, int]:
    """Return CPU seconds, seconds, peak resident bytes and rows of a run in its own process."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(path), what],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    cpu, wall, peak, rows = done.stdout.split()
    unit = 1 if sys.platform == "darwin" else 1024
    return float(cpu), float(wall), int(peak) * unit, int(rows)


def run(quick: bool) -> list[dict[str, Any]]:
    """Measure both in turn, several times; the best of each, in CPU seconds, is compared.

    CPU seconds, because both run on one thread and other work on the machine stretches the rest.
    """
    size = 10_000_000 if quick else 100_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        write_log(path, size)
        on_disk = path.stat().st_size
        runs: dict[str, list[tuple[float, float, int, int]]] = {"orjson": [], "load": []}
        for _ in range(3 if quick else 5):
            for what, found in runs.items():
                found.append(measure(path, what))
    best = {what: min(found) for what, found in runs.items()}
    return [
        {
            "what": {"orjson": "orjson.loads, line by line", "load": "agentlens.load"}[what],
            "file MB": on_disk / 1e6,
            "CPU s": cpu,
            "times orjson": cpu / best["orjson"][0],
            "s": wall,
            "peak MB": peak / 1e6,
            "peak / file": peak / on_disk,
            "rows": rows,
        }
        for what, (cpu, wall, peak, rows) in best.items()
    ]


if __name__ == "__main__":
    from benchmarks.__main__ import table

    print(table(run("--quick" in sys.argv)))
