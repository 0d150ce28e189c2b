"""Tool calls inside programs: what is read, what is left as text, and that nothing hangs."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.trace.js_calls import inner_calls

scalars = (
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12)
    | st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
)  # fmt: skip
literals = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=15,
)


@given(args=st.lists(st.dictionaries(st.text(max_size=6), literals), min_size=1, max_size=4))
def test_json_arguments_come_back_as_they_are(args):
    program = "\n".join(
        f"const r{n} = await tools.t{n}({json.dumps(one)}); text(r{n});"
        for n, one in enumerate(args)
    )
    found = inner_calls(program)
    assert [(c.tool, c.args, c.exact) for c in found] == [
        (f"t{n}", one, True) for n, one in enumerate(args)
    ]


@pytest.mark.parametrize(
    ("program", "calls"),
    [
        ("tools.f()", [("f", {}, True)]),
        ("tools.f({a: 'it\\'s', b: [1, -2.5, 0x1f,], c: `x\ny`,})",
         [("f", {"a": "it's", "b": [1, -2.5, 31], "c": "x\ny"}, True)]),
        ('const c = "ls";\nlet n = 3\ntools.f({cmd: c, n});', [("f", {"cmd": "ls", "n": 3}, True)]),
        ("tools.f({cmd: `ls ${dir}`})", [("f", {"cmd": "`ls ${dir}`"}, False)]),
        ("tools.f({q: 'a' + \"b\"})", [("f", {"q": "ab"}, True)]),
        ("tools.f({q: a.b(1, [2]), r: 1})", [("f", {"q": "a.b(1, [2])", "r": 1}, False)]),
        ("await Promise.all([tools.f({a: 1}), tools['g']({b: 2})])",
         [("f", {"a": 1}, True), ("g", {"b": 2}, True)]),
        ("tools.outer(tools.inner({a: 1}))",
         [("outer", "tools.inner({a: 1})", False), ("inner", {"a": 1}, True)]),
        ("// tools.f({})\n/* tools.g({}) */ const s = \"tools.h({})\"; x.tools.i({}); my.j({})",
         []),
        ("const re = /['\"`]/; tools.f({a: 1})", [("f", {"a": 1}, True)]),
        ("tools.apply_patch('*** Begin')", [("apply_patch", "*** Begin", True)]),
        ('tools.f({a: "\\u4e2d\\x41\\u{1F600}"})', [("f", {"a": "中A😀"}, True)]),
    ],
)  # fmt: skip
def test_programs(program, calls):
    assert [(c.tool, c.args, c.exact) for c in inner_calls(program)] == calls


@given(st.text(alphabet="tools.f({[\"'`/*\\ab,:}]);=\n ${const", max_size=200))
def test_no_program_crashes_it(program):
    inner_calls(program)


@pytest.mark.parametrize(
    "piece",
    ["tools.a(", "tools.a({b:[", "const a=[", '"\\', "/[", "/*", "`", "'", "{", "((", "a=/"],
)
def test_no_program_hangs_it(piece):
    begun = time.process_time()
    inner_calls(piece * (200_000 // len(piece)))
    assert time.process_time() - begun < 5
