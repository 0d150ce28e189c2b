"""Megabytes a second by format, beside orjson alone and the packages that read the same files.

The peers are installed apart, because one of them is imported under our own name:
``python -m venv peers && peers/bin/pip install agentlens-cli agentpile orjson``, and
``AGENTLENS_PEERS=peers/bin/python``. Without it their columns stay empty.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.loading import write_log

_ROOT = Path(__file__).resolve().parents[1]
_FOLDER = _ROOT / "tests" / "trace" / "formats"
#: Logs that are repeated, each time with other ids, and whether a repetition is a run of its own.
SOURCES: dict[str, tuple[Path, bool]] = {
    "claude_code": (_ROOT, False),  # made up, as for `loading`
    "codex": (_FOLDER / "examples" / "codex.json", False),
    "gemini": (_FOLDER / "examples" / "gemini.json", True),
    "openhands": (_FOLDER / "examples" / "openhands.json", False),
    "openai": (_ROOT / "sample_traces" / "openai_research_loop.json", True),
    "anthropic": (_ROOT / "sample_traces" / "anthropic_same_error.json", False),
    "langchain": (_ROOT / "sample_traces" / "langchain_policy_zh.json", True),
    "tau": (_ROOT / "sample_traces" / "tau_airline.json", True),
    "atif": (_ROOT / "sample_traces" / "atif_subagent_loop.json", True),
    "mini_swe_agent": (_FOLDER / "recorded" / "mini_calls.traj.json", True),
    "mlflow": (_FOLDER / "recorded" / "mlflow.json", True),
    "otlp": (_FOLDER / "recorded" / "langgraph_otlp.json", True),
    "openinference": (_FOLDER / "recorded" / "langgraph_openinference.jsonl", True),
    "readable_span": (_FOLDER / "recorded" / "pydantic_ai_spans.jsonl", True),
    "langsmith": (_FOLDER / "recorded" / "langgraph_langsmith.jsonl", True),
    "openai_agents": (_FOLDER / "recorded" / "openai_agents.jsonl", True),
    "langfuse": (_FOLDER / "examples" / "langfuse.json", True),
    "weave": (_FOLDER / "examples" / "weave.json", True),
    "plain": (_ROOT / "sample_traces" / "incident.jsonl", False),
}
_ID = re.compile(
    r'("(?:\w*_?id|\w*I[dD]|u?uid|parentUuid|dotted_order|span_id)": ")([^"\n]{4,80})"'
)
_ROUND = re.compile(r'"round": (\d+)')
_HEX = re.compile(r"(?:0x|tr-|trace_|span_|resp_)?[0-9a-f]{8,}(?:-[0-9a-f]+)*$")

#: Prints CPU seconds and what was counted, of a loading in a fresh process.
_MEASURE = """
import sys, time
from pathlib import Path
path, what = sys.argv[1:]
if what == "agentlens":
    from agentlens.trace.formats import FORMATS, get
    from agentlens.trace.load import load_many
    for name in FORMATS:
        get(name)
    read = lambda: sum(1 for trace in load_many(path, progress=False))
elif what == "agentpile":
    import agentpile
    read = lambda: sum(1 for run in agentpile.load(path))
elif what.startswith("agentlens-cli"):
    from agentlens.adapters import base, claude_code, codex, gemini_cli
    adapter = {"claude_code": claude_code.ClaudeCodeAdapter, "codex": codex.CodexAdapter,
               "gemini": gemini_cli.GeminiCliAdapter}[what.partition(":")[2]]()
    read = lambda: sum(1 for e in adapter.parse(base.SourceFile.of(Path(path))))
else:
    import orjson
    def read():
        number = 0
        with open(path, "rb") as file:
            for line in file:
                orjson.loads(line)
                number += 1
        return number
started = time.process_time()
number = read()
print(time.process_time() - started, number)
"""


def repeat(source: Path, own: bool, path: Path, size: int) -> None:
    """Write a log again and again as lines, until there are so many bytes."""
    text = source.read_text("utf-8")
    try:
        value = json.loads(text)
    except ValueError:
        value = [json.loads(line) for line in text.splitlines()]
    if isinstance(value, list) and own and isinstance(value[0], dict) and "role" in value[0]:
        value = {"messages": value}
    records = value if isinstance(value, list) else [value]
    whole = "\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n"
    number = written = 0

    def other(match: re.Match[str]) -> str:
        end = f"{number:06d}" if _HEX.match(match[2]) else f"{match[2][-6:]}-{number}"
        return f'{match[1]}{match[2][:-6]}{end}"'

    def later(match: re.Match[str]) -> str:
        return f'"round": {int(match[1]) + 10 * number}'

    with path.open("w", encoding="utf-8", newline="\n") as file:
        while written < size:
            number += 1
            again = _ROUND.sub(later, _ID.sub(other, whole))
            file.write(again)
            written += len(again.encode())


def measure(python: str, path: Path, what: str, runs: int) -> tuple[float, int] | None:
    """Return the least CPU seconds of some runs and what was counted; None where it is refused."""
    found = []
    for _ in range(runs):
        try:
            done = subprocess.run(
                [python, "-c", _MEASURE, str(path), what],
                capture_output=True, text=True, timeout=120, check=False,
                cwd=_ROOT if what in ("agentlens", "orjson") else path.parent,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            return None
        seconds, number = done.stdout.split()
        found.append((float(seconds), int(number)))
    return min(found)


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row a format: MB, MB/s of each, how many times orjson's time, runs and peers'."""
    size, runs = (1_000_000, 1) if quick else (20_000_000, 3)
    peers = os.environ.get("AGENTLENS_PEERS")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, own) in SOURCES.items():
            path = Path(folder) / f"{name}.jsonl"
            if source == _ROOT:
                write_log(path, size)
            else:
                repeat(source, own, path, size)
            megabytes = path.stat().st_size / 1e6
            bare = measure(sys.executable, path, "orjson", runs)
            ours = measure(sys.executable, path, "agentlens", runs)
            row: dict[str, Any] = {"format": name, "MB": round(megabytes)}
            row["orjson MB/s"] = round(megabytes / bare[0]) if bare else None
            row["agentlens MB/s"] = megabytes / ours[0] if ours else None
            row["of orjson's time"] = ours[0] / bare[0] if ours and bare else None
            row["runs"] = ours[1] if ours else None
            row["agentpile MB/s"] = row["its runs"] = row["agentlens-cli MB/s"] = None
            if peers:
                theirs = measure(peers, path, "agentpile", runs)
                if theirs and theirs[1]:
                    row["agentpile MB/s"], row["its runs"] = megabytes / theirs[0], theirs[1]
                if name in ("claude_code", "codex", "gemini"):
                    theirs = measure(peers, path, f"agentlens-cli:{name}", runs)
                    row["agentlens-cli MB/s"] = (
                        megabytes / theirs[0] if theirs and theirs[1] else None
                    )
            rows.append(row)
            path.unlink()
    return rows


if __name__ == "__main__":
    from benchmarks.__main__ import table

    print(table(run("--quick" in sys.argv)))
