"""What an answer says again of the question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.progress.echo import ECHO, without_echo


@pytest.mark.parametrize(
    ("line", "query", "bare"),
    [
        ("No results for heat pump cost", "heat pump cost", "No results for <query>"),
        ("No results for heat  pump", "heat  pump cost", "No results for <query>"),
        ("Nothing about: heat pump c…", "heat pump cost", "Nothing about: <query>…"),
        ("没有找到“今日天气”", "今日天气", "没有找到“<query>”"),
        ("heat pumps are loud", "heat pump cost", "<query>s are loud"),
        ("pump heat", "heat pump", "pump heat"),
        ("a b a b", "a b", "<query> <query>"),
        ("x", "x", "x"),
    ],
)  # fmt: skip
def test_what_is_taken_out(line, query, bare):
    line = " ".join(line.split())
    assert without_echo(line, [query]) == bare


@given(st.text("ab c", max_size=30), st.lists(st.text("ab c", max_size=12), max_size=3))
def test_what_repeats_nothing_stays(line, queries):
    asked = [" ".join(q.split())[:8] for q in queries]
    bare = without_echo(line, queries)
    if not any(
        len(" ".join(q.split())) >= 2 and head in line
        for q, head in zip(queries, asked, strict=True)
    ):
        assert bare == line
    else:
        assert ECHO in bare


def test_an_answer_that_only_repeats_the_question_is_no_news():
    asked = ["day ahead price Austria", "Austria day ahead price", "Austria price day ahead"]

    def trip(answer: str) -> int | None:
        rows = [
            {"round": n, "tool": "web_search", "args": {"query": q},
             "result": answer.format(q=q, n=n)}
            for n, q in enumerate(asked, 1)
        ]  # fmt: skip
        found = al.replay(al.load(rows)).trip
        return found and found.round

    assert trip("No results for {q}") == 3
    assert trip("{n} results for {q}") is None  # a number is news
    assert trip("No results for {q}\nhttps://example.org/{n}") is None
