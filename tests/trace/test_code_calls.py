"""Calls inside code: found, resolved as far as the code says, and never executed."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.trace.code_calls import calls_in


@pytest.mark.parametrize(
    ("code", "calls"),
    [
        ("search('a')", [("search", {"arg1": "a"})]),
        ("x = 'a'\nsearch(query=x, n=2)", [("search", {"query": "a", "n": 2})]),
        ("x = 'a'\nx = 'b'\nsearch(x)", [("search", {"arg1": "x"})]),
        (
            "for q in ['a', 'b']:\n  search(q)",
            [("search", {"arg1": "a"}), ("search", {"arg1": "b"})],
        ),
        (
            "qs = ('a', 'b')\nfor q in qs: search(q)",
            [("search", {"arg1": "a"}), ("search", {"arg1": "b"})],
        ),
        ("search(f'{a} b')", [("search", {"arg1": "f'{a} b'"})]),
        ("answer(search('a'))", [("search", {"arg1": "a"}), ("answer", {"arg1": "search('a')"})]),
        ("print(len([1])); 'a'.upper(); os.system('x')", []),
        ("def f(x): return g(x)\nf(1)", [("g", {"arg1": "x"})]),
        ("from a import b\nimport c\nb(1); c(2)", []),
        ("search(**{'q': 1})", [("search", {"**": {"q": 1}})]),
        (
            "search(b'a', {1: (2,)}, 1j)",
            [("search", {"arg1": "b'a'", "arg2": {"1": [2]}, "arg3": "1j"})],
        ),
        ("for q in []: search(q)", [("search", {"arg1": "q"})]),
        ("def oops(:", None),
        ("\x00", None),
    ],
)
def test_calls_are_found_in_the_syntax_tree(code, calls):
    assert calls_in(code) == calls


def test_nothing_is_executed(tmp_path):
    mark = tmp_path / "mark"
    calls_in(f"open({str(mark)!r}, 'w')\n__import__('os').mkdir({str(mark)!r})\nsearch('a')")
    assert not mark.exists()


@pytest.mark.parametrize(
    "code",
    ["(" * 40_000, "f(" * 5000, "-" * 40_000 + "1", "f(1);" * 9_000, "x" * 10**6, "'" * 40_000,
     "for q in [" + "1," * 20_000 + "]: f(q)"],
    ids=["brackets", "nested", "signs", "many", "long", "quotes", "loop"],
)  # fmt: skip
def test_hostile_code_takes_no_time(code):
    begun = time.perf_counter()
    calls_in(code)
    assert time.perf_counter() - begun < 2


@given(st.text(max_size=60))
def test_any_text_gives_a_list_or_none(code):
    found = calls_in(code)
    assert found is None or isinstance(found, list)
