"""MCP results kept as text: unwrapped, cut off or not."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.trace.mcp_text import unwrap_result


@dataclass
class TextContent:
    """Has the same repr as MCP's model (fields only)."""

    type: str
    text: str
    annotations: None = None


def wrap(*texts: str, error: bool = False) -> str:
    items = [TextContent("text", text) for text in texts]
    return f"meta=None content={items!r} isError={error}"


@given(st.lists(st.text(), max_size=3), st.booleans())
def test_whatever_was_wrapped_comes_out(texts, error):
    found = unwrap_result(wrap(*texts, error=error))
    assert found is not None
    assert (found.text, found.error, found.truncated) == ("\n".join(texts), error, False)


@given(st.text(min_size=1), st.data())
def test_a_text_that_is_cut_off_gives_its_beginning(text, data):
    whole = wrap(text)
    start = whole.index("text=") + 6
    end = start + len(repr(text)) - 2
    cut = data.draw(st.integers(start, max(start, end - 1)))
    found = unwrap_result(whole[:cut])
    assert found is not None
    assert found.truncated
    assert text.startswith(found.text)


def test_a_result_within_a_result():
    inner = {"_meta": None, "content": [{"type": "text", "text": 'a "b"'}], "isError": True}
    text = json.dumps(inner)
    for found in (unwrap_result(wrap(text)), unwrap_result(text)):
        assert (found.text, found.error) == ('a "b"', True)
    cut = unwrap_result(
        wrap(json.dumps({**inner, "content": [{"type": "text", "text": "x" * 99}]}))[:150]
    )
    assert cut.truncated
    assert cut.text
    assert set(cut.text) == {"x"}


def test_pictures_are_hashes():
    text = ("meta=None content=[ImageContent(type='image', data='AAAA', mimeType='image/png', "
            "annotations=None)] isError=False")  # fmt: skip
    found = unwrap_result(text)
    assert found.text == ""
    assert found.parts[0].startswith("image sha256:")


@pytest.mark.parametrize("text", ["", "x", "{}", '{"content": 5, "isError": true}', '{"isError"',
                                  "meta=None content=[Other()] isError=False"])  # fmt: skip
def test_anything_else_is_left_alone(text):
    assert unwrap_result(text) is None


def test_hostile_text_takes_no_time():
    begun = time.perf_counter()
    for text in ("meta=None content=[" + "TextContent(type='text', text='" * 20_000,
                 "meta=None content=[TextContent(type='text', text='" + "\\" * 400_001,
                 '{"content": [], "isError": ' + "[" * 400_000):  # fmt: skip
        unwrap_result(text)
    assert time.perf_counter() - begun < 2
