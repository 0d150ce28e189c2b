"""What the runs are made of that each peer is given: tools that it knows, answers, failures."""

from __future__ import annotations

from tests.breaker.peers.draw import Words

__all__ = ["BROWSER", "CODING", "LONG", "OFFICE", "OUTPUTS", "PLAIN"]

#: Two arguments each, so that their order can differ; a poll, and a tool to think with.
_CALLS = (
    ("web_search", {"query": "weather in Oslo", "limit": 5}),
    ("web_search", {"query": "weather in Bergen", "limit": 5}),
    ("read_file", {"path": "src/a.py", "offset": 0}),
    ("read_file", {"path": "src/a.py", "offset": 100}),
    ("get_status", {"job": "build", "verbose": False}),
    ("think", {"thought": "what next", "depth": 1}),
)
_ANSWERS = ("three results", "no results", "x = 1", "still running", "")

PLAIN = Words(
    calls=_CALLS, answers=_ANSWERS, says=("I will go on.", "Nearly done."),
    failures=(("Error: no such tool", None), ("exit code 2", 2), ("Error: timed out", None)),
    same=0.8, lap=0.8, fresh=2.0, fan=0.06,
)  # fmt: skip

#: With thoughts and messages, which this peer compares and counts.
OFFICE = Words(
    calls=_CALLS, answers=_ANSWERS[:4], says=("I will go on.", "Nearly done.", "One moment."),
    thoughts=("", "let me look", "again, then"), rethink=0.04, change=0.05,
    failures=(("Error: no such tool", None), ("Error: bad arguments", None), ("code 2", 2)),
    same=1.0, lap=1.0, fresh=1.2, fail=0.3, fan=0.03, say=0.03,
)  # fmt: skip

#: Outputs of which no two share a word.
OUTPUTS = Words(
    calls=_CALLS, answers=tuple(f"alpha{i} beta{i} gamma{i} delta{i}" for i in range(40)),
    says=("I will go on.",), same=0.3, lap=0.3, fresh=2.4, rounds=(3, 16),
)  # fmt: skip

CODING = Words(
    calls=(
        ("Bash", {"command": "pytest -q", "description": "run the tests"}),
        ("Bash", {"command": "pytest -q", "description": "run the tests again"}),
        ("Bash", {"command": "ls src", "description": "look"}),
        ("Bash", {"command": "python build.py", "description": "build"}),
        ("Read", {"file_path": "src/a.py", "offset": 10}),
        ("Read", {"file_path": "src/b.py"}),
        ("Grep", {"pattern": "def main", "path": "src"}),
        ("Edit", {"file_path": "src/a.py", "old_string": "1", "new_string": "2"}),
        ("Edit", {"file_path": "src/b.py", "old_string": "3", "new_string": "4"}),
        ("TodoWrite", {"todos": []}),
    ),
    answers=("two lines", "", "done", "42 passed in 3.10s", "42 passed in 3.15s"),
    failures=(("No such file or directory", 1), ("ValueError: 3 is no path", 1)),
    says=("I will go on.",), same=0.7, lap=0.7, fresh=2.2, change=0.15, rounds=(4, 26), turn=0.0,
)  # fmt: skip

BROWSER = Words(
    calls=(
        ("search", {"query": "cheap flights Oslo", "engine": "google"}),
        ("search", {"query": "Oslo flights cheap", "engine": "google"}),
        ("search", {"query": "hotels in Oslo", "engine": "bing"}),
        ("click", {"index": 4}), ("click", {"index": 7}),
        ("input", {"index": 4, "text": "Oslo"}), ("input", {"index": 4, "text": " oslo "}),
        ("navigate", {"url": "https://example.org/a", "new_tab": False}),
        ("navigate", {"url": "https://example.org/a", "new_tab": True}),
        ("navigate", {"url": "https://example.org/b", "new_tab": False}),
        ("scroll", {"down": True, "pages": 1.0}), ("scroll", {"down": True, "pages": 2.0}),
        ("scroll", {"down": False, "pages": 1.0}), ("go_back", {}), ("wait", {"seconds": 3}),
        ("extract", {"query": "prices", "extract_links": None}),
    ),
    answers=("start page", "list of flights", "a form", "an empty page"),
    same=1.0, lap=1.2, fresh=1.4, change=0.2, fan=0.15, user=0.0, say=0.0, rounds=(4, 26),
)  # fmt: skip

LONG = Words(
    calls=_CALLS, answers=_ANSWERS, same=0.1, lap=0.1, fresh=3.0, say=0.0, user=0.0,
    rounds=(3, 34), failures=(("Error: timed out", None),),
)  # fmt: skip
