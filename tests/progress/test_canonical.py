"""Canonical JSON: the vectors of RFC 8785, and what it leaves open."""

from __future__ import annotations

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.canonical import canonical

#: RFC 8785, appendix B: the bits of a number, and how it is written.
NUMBERS = {
    "0000000000000000": "0", "8000000000000000": "0", "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324", "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308", "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992", "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22", "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23", "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000", "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7", "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332", "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333", "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343", "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}  # fmt: skip

TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
SAFE = 2**53 - 1
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("bits", "written"), NUMBERS.items())
def test_numbers_are_written_as_the_rfc_lists_them(bits, written):
    assert canonical(struct.unpack(">d", bytes.fromhex(bits))[0]).decode() == written


def test_the_rfcs_sample_of_all_kinds():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f",
        "literals": [None, True, False],
    }
    assert canonical(value).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_the_rfcs_sample_of_sorting():
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    written = json.loads(canonical(dict.fromkeys(keys, 0)), object_pairs_hook=list)
    order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert [key for key, _ in written] == order


def test_what_the_rfc_leaves_out_has_a_spelling_of_its_own():
    assert (
        canonical([2**53, 2**53 + 1, -(10**30)])
        == b"[9007199254740992,9007199254740993,-" + (b"1" + b"0" * 30) + b"]"
    )
    assert canonical([math.nan, math.inf, -math.inf]) == b"[NaN,Infinity,-Infinity]"
    assert canonical(["\ud83d", "a\udc00é"]) == '["\\ud83d","a\\udc00é"]'.encode()
    assert canonical(10**5000) != canonical(10**5000 + 1)
    assert canonical({1: (1, 2), None: {3}}) == b'{"1":[1,2],"null":"{3}"}'


def test_no_depth_and_no_circle_breaks_it():
    deep: object = "x"
    for _ in range(5000):
        deep = [deep]
    assert len(canonical(deep)) < 1000
    ring: list[object] = []
    ring.append(ring)
    assert canonical({"a": ring}).count(b"[") < 300


@given(JSON)
def test_it_never_fails_and_reads_back_as_the_same_value(value):
    text = canonical(value).decode()
    back = json.loads(text)
    assert repr(_plain(back)) == repr(_plain(value))


@given(st.dictionaries(TEXT, JSON, max_size=6), st.randoms())
def test_the_order_of_keys_never_matters(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert canonical(dict(items)) == canonical(value)


@given(JSON, JSON)
def test_only_equal_values_are_written_alike(one, two):
    same = repr(_plain(one)) == repr(_plain(two))
    assert (canonical(one) == canonical(two)) == same


@given(st.integers(), st.integers())
def test_no_two_integers_are_one(one, two):
    assert (canonical([one]) == canonical([two])) == (one == two)


def _plain(value):
    """Return a value in which what JSON holds equal is equal: keys sorted, 1 as 1.0, -0 as 0."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) + 0.0
    if isinstance(value, dict):
        return "object", [(key, _plain(inner)) for key, inner in sorted(value.items())]
    return [_plain(item) for item in value] if isinstance(value, list) else value
