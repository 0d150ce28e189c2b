"""A report for an issue tracker: what a trace says is text, whatever reads the page.

Two parsers of Markdown that know nothing of our escaping say what the page holds.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mistune
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import agentlens as al
from agentlens.widgets.report.markdown import markdown

EVIL = [
    "a | b || c", r"a \| b \\| c \ ", "`a` ``b`` ```", "```\n# x\n```", "end\n```\n<script>",
    "<img src=x onerror=alert(1)>", "&lt;b&gt; &#124;", "[x](javascript:alert(1))", "![x](//e.x/p)",
    "https://evil.example www.evil.example", "@octocat #12 GH-3 owner/repo#4", "$x$ $$y$$ :smile:",
    "<!-- --> {{ x }} ~~s~~ **b** _i_", "%%{init: {'theme':'x'}}%%", "A->>B: x; note over A: y",
    "end", "\u202egnp.exe\u200b\x1b[31m", "|\n|---|\n| x |", "\\", "#quot; #35;",
]  # fmt: skip


def run(queries: list[str], **columns: Any) -> al.Replay:
    calls = [
        {"round": n, "tool": "web_search", "args": {"query": q}, "result": q, **columns}
        for n, q in enumerate(queries, 1)
    ]
    return al.replay(al.load(calls), "classic")


def shape(page: str) -> tuple[set[str], list[list[str]]]:
    """Return the kinds of token in a page, and the cells of its tables as text."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(page)
    kinds, rows = set(), []
    for token in tokens:
        kinds.add(token.type.removesuffix("_open").removesuffix("_close"))
        if token.type == "tr_open":
            rows.append([])
        for child in token.children or ():
            kinds.add(child.type.removesuffix("_open").removesuffix("_close"))
        if token.type == "inline" and rows and token.level >= 3:
            rows[-1].append("".join(child.content for child in token.children or ()))
    return kinds, rows


EXPECTED = (
    "code_inline fence heading hardbreak inline paragraph strong table tbody td text th thead tr"
).split()


def check(queries: list[str], **columns: Any) -> None:
    page = markdown(run(queries, **columns))
    kinds, rows = shape(page)
    assert kinds <= set(EXPECTED)
    assert {len(row) for row in rows} == {7}
    assert len(rows) == 1 + len(queries)
    html = str(mistune.create_markdown(plugins=["table", "url", "strikethrough", "math"])(page))
    assert html.count("<tr>") == 1 + len(queries)
    assert html.count("<td") == 7 * len(queries)
    assert not re.search(r"<(a|img|script|del|em|h1|div)\b", html)
    assert html.count("<pre>") == page.count("\n```\n") == len(re.findall(r"^```\w", page, re.M))
    (drawing,) = re.findall(r"^```mermaid\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for line in drawing.splitlines()[1:]:
        assert re.fullmatch(
            r"    (participant \w+ as|Note over A:|A(->>|--x)T\d:|T\d-->>A:) ?([^#;%`<>]|#\d+;)*",
            line,
        ), line


@pytest.mark.parametrize("evil", EVIL)
def test_nothing_of_a_trace_is_markup(evil: str) -> None:
    check([evil, f"x {evil}", f"{evil} y"], tool=f"t {evil}", thread=evil)
    check([evil] * 5)


@given(st.lists(st.text(min_size=1, max_size=30).filter(str.strip), min_size=1, max_size=4))
@example(["`" * 5, "|" * 5])
def test_nothing_of_any_text_is_markup(queries: list[str]) -> None:
    check(queries)


def test_cells_say_what_was_asked() -> None:
    _, rows = shape(markdown(run(["天气", "今日天气 气温", "今日天气 晴雨", "C++ <b> @x"])))
    assert [row[1] for row in rows[1:]] == ["天气", "今日天气 气温", "今日天气 晴雨", "C++ <b> @x"]
    assert [row[0] for row in rows[1:]] == ["1", "2", "3 †", "4 †"]
    assert [row[4] for row in rows[1:]] == ["0", "1", "2", ""]


def test_a_long_run_is_folded_to_the_rounds_around_the_trip() -> None:
    queries = [f"topic{n} one{n} two{n}" for n in range(500)] + ["again same"] * 4
    queries += [f"later{n} more{n}" for n in range(500)]
    made = run(queries)
    assert made.trip.round == 503
    page = markdown(made)
    _, rows = shape(page)
    numbers = [int(row[0].split()[0]) for row in rows[1:]]
    assert numbers == list(range(numbers[0], numbers[0] + 40))
    assert 503 in numbers
    left = re.search(r"Left out: (\d+) rounds before these, (\d+) after", page)
    assert left
    assert [int(n) for n in left.groups()] == [numbers[0] - 1, 1004 - numbers[-1]]
    assert "stops here" in page
    assert len(page) < 20_000  # an issue takes 65,536 characters


def test_secrets_are_masked() -> None:
    secret = "ghp_" + "x9Y8" * 9
    assert secret not in markdown(run([f"use {secret} now"] * 3, tool=secret))


def test_by_the_name_of_the_file(tmp_path: Path) -> None:
    made = run(["天气", "天气"])
    path = al.report(made, tmp_path / "r.md", lang="zh")
    assert path.read_text("utf-8").startswith("### 运行 `plain`")
    with pytest.raises(al.TraceError, match=r"r\.docx: \.docx is no kind of report: \.html"):
        al.report(made, tmp_path / "r.docx")
    with pytest.raises(al.TraceError, match="several runs need a folder"):
        al.report([made, made], tmp_path / "r.html")
