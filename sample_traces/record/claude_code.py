"""A Claude Code session of a coding agent whose web searches loop, written record by record."""

from __future__ import annotations

import json
from typing import Any

from common import lines, stamp

_SESSION = "7d0c3a52-8f0e-4c1b-9a51-2f6b1c0d9e01"
_LINKS = [
    {"title": "httpx – Timeouts", "url": "https://docs.example.org/httpx/timeouts"},
    {"title": "Proxies and retries", "url": "https://docs.example.org/httpx/proxies"},
    {"title": "ReadTimeout behind a proxy", "url": "https://forum.example.org/t/4711"},
]
_QUERIES = (
    "httpx ReadTimeout behind corporate proxy",
    "httpx ReadTimeout corporate proxy fix",
    "httpx ReadTimeout behind proxy fix",
    "fix httpx ReadTimeout behind corporate proxy",
    "httpx proxy ReadTimeout fix corporate",
    "corporate proxy httpx ReadTimeout behind fix",
    "httpx behind corporate proxy ReadTimeout",
)
_CODE = 'def fetch(url: str) -> str:\n    with httpx.Client() as client:\n        return client.get(url).text\n'
_FAIL = "FAILED tests/test_fetch.py::test_slow - httpx.ReadTimeout: The read operation timed out\n1 failed, 11 passed in 9.21s"


class _Session:
    """Writes records as the tool does: one block each, usage on each, results from the user."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.parent: str | None = None
        self.clock = 0.0
        self.messages = 0

    def add(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        number = len(self.records) + 1
        uuid = f"00000000-0000-4000-8000-{number:012d}"
        self.records.append({
            "parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": "/home/user/fetcher",
            "sessionId": _SESSION, "version": "2.1.40", "gitBranch": "fix-timeout", "type": kind,
            "message": message, "uuid": uuid, "timestamp": stamp(self.clock), **more,
        })  # fmt: skip
        self.parent = uuid

    def user(self, text: str) -> None:
        self.add("user", {"role": "user", "content": text})
        self.clock += 3.1

    def turn(self, text: str, *calls: tuple[str, dict[str, Any], str, Any]) -> None:
        """Write one response, its blocks apart, and the results of its calls."""
        self.messages += 1
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        ids = [f"toolu_{self.messages:03d}{place}" for place in range(len(calls))]
        blocks += [{"type": "tool_use", "id": i, "name": c[0], "input": c[1]} for i, c in zip(ids, calls, strict=True)]
        for place, block in enumerate(blocks, 1):
            last = place == len(blocks)
            usage = {
                "input_tokens": 6, "cache_creation_input_tokens": 410 + 12 * self.messages,
                "cache_read_input_tokens": 11800 + 420 * self.messages,
                "output_tokens": 60 + 7 * (self.messages % 9) if last else 2, "service_tier": "standard",
            }  # fmt: skip
            self.add("assistant", {
                "model": "claude-sonnet-4-5-20250929", "id": f"msg_{self.messages:04d}", "type": "message",
                "role": "assistant", "content": [block],
                "stop_reason": ("tool_use" if calls else "end_turn") if last else None, "usage": usage,
            }, requestId=f"req_{self.messages:04d}")  # fmt: skip
            self.clock += 0.4
        for call_id, (_, _, result, structured) in zip(ids, calls, strict=True):
            self.clock += 1.9
            block = {"tool_use_id": call_id, "type": "tool_result", "content": result}
            if result.startswith("Exit code"):
                block["is_error"] = True
            self.add("user", {"role": "user", "content": [block]}, toolUseResult=structured)
        self.clock += 2.6


def _read(path: str, text: str) -> tuple[str, dict[str, Any], str, Any]:
    numbered = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text.splitlines(), 1))
    file = {"filePath": path, "content": text, "numLines": len(text.splitlines()), "startLine": 1}
    return "Read", {"file_path": path}, numbered, {"type": "text", "file": file}


def _bash(command: str, output: str, failed: bool = False) -> tuple[str, dict[str, Any], str, Any]:
    text = f"Exit code 1\n{output}" if failed else output
    structured: Any = f"Error: {text}" if failed else {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    return "Bash", {"command": command, "description": "Run it"}, text, structured


def _edit(path: str, old: str, new: str) -> tuple[str, dict[str, Any], str, Any]:
    args = {"file_path": path, "old_string": old, "new_string": new}
    return "Edit", args, f"The file {path} has been updated.", {"filePath": path, "oldString": old, "newString": new, "userModified": False}


def _search(query: str) -> tuple[str, dict[str, Any], str, Any]:
    text = f'Web search results for query: "{query}"\n\nLinks: {json.dumps(_LINKS)}\n\nThe pages describe timeouts and proxies in general.'
    return "WebSearch", {"query": query}, text, {"query": query, "results": [{"content": _LINKS}], "durationSeconds": 1.9}


def web_loop() -> str:
    """Return the session: 8 rounds of work, 7 searches that go in circles, 10 rounds of work."""
    s = _Session()
    path, test = "/home/user/fetcher/fetcher/client.py", "/home/user/fetcher/tests/test_fetch.py"
    s.user("test_slow fails with ReadTimeout, but only behind our proxy. Please fix it.")
    s.turn("I'll look at the client first.", _read(path, "import httpx\n\n\n" + _CODE))
    s.turn("", _read(test, "from fetcher.client import fetch\n\n\ndef test_slow():\n    assert fetch('http://slow/')\n"))
    s.turn("", ("Grep", {"pattern": "httpx.Client", "path": "/home/user/fetcher"}, f"Found 1 file\n{path}",
                {"mode": "files_with_matches", "filenames": [path], "numFiles": 1}))  # fmt: skip
    s.turn("Let me see it fail.", _bash("pytest -q tests/test_fetch.py", _FAIL, failed=True))
    s.turn("", _bash("env | grep -i proxy", "HTTPS_PROXY=http://proxy.example.org:3128"))
    s.turn("A longer timeout may be enough.", _edit(path, "httpx.Client()", "httpx.Client(timeout=10)"))
    s.turn("", _bash("pytest -q tests/test_fetch.py", _FAIL, failed=True))
    s.turn("", _bash("pip show httpx", "Name: httpx\nVersion: 0.28.1"))
    for number, query in enumerate(_QUERIES):
        s.turn("Still failing. Let me search for this." if number == 0 else "", _search(query))
    s.turn("The pages say no more than the manual. I'll try without the proxy.",
           _bash("NO_PROXY=slow pytest -q tests/test_fetch.py", "12 passed in 1.84s"))  # fmt: skip
    s.turn("So the proxy holds the connection.", _read(path, "import httpx\n\n\n" + _CODE.replace("Client()", "Client(timeout=10)")))
    s.turn("", _edit(path, "httpx.Client(timeout=10)", "httpx.Client(timeout=10, mounts=MOUNTS)"))
    s.turn("", _edit(path, "import httpx\n", "import httpx\n\nMOUNTS = {'all://slow': None}\n"))
    s.turn("", _bash("pytest -q tests/test_fetch.py", "12 passed in 1.91s"))
    s.turn("", _bash("pytest -q", "148 passed in 21.40s"))
    s.turn("", _bash("ruff check .", "All checks passed!"))
    s.turn("", _bash("git diff --stat", " fetcher/client.py | 4 +++-\n 1 file changed, 3 insertions(+), 1 deletion(-)"))
    s.turn("", _bash("git commit -qam 'Bypass the proxy for slow hosts'", ""))
    s.turn("Fixed: hosts named in MOUNTS bypass the proxy. All 148 tests pass.")
    summary = {"type": "summary", "summary": "Fix a timeout behind a proxy", "leafUuid": s.parent}
    return lines([*s.records, summary])


FILES = {"claude_code_web_loop.jsonl": web_loop}
