"""URLs in every dress that results have, and when two are one page."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import PolicyError
from agentlens.progress.urls import canonical, find_urls


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://a.com/b, and http://c.org.", ["https://a.com/b", "http://c.org"]),
        ("见https://a.com/b，以及https://c.cn/d。", ["https://a.com/b", "https://c.cn/d"]),
        ("https://a.com/b是什么", ["https://a.com/b"]),
        ("https://zh.wikipedia.org/wiki/北京 ok", ["https://zh.wikipedia.org/wiki/北京"]),
        ("[title](https://a.com/x_(y)) end", ["https://a.com/x_(y)"]),
        ("[https://a.com](https://a.com/b)", ["https://a.com", "https://a.com/b"]),
        ("(https://a.com/b)", ["https://a.com/b"]),
        ("<https://a.com/b>", ["https://a.com/b"]),
        ('<a href="https://a.com/b?x=1&amp;y=2">', ["https://a.com/b?x=1&y=2"]),
        ("&quot;https://a.com/b&quot;", ["https://a.com/b"]),
        ('{"url": "https:\\/\\/a.com\\/b", "n": 1}', ["https://a.com/b"]),
        ('{"url": "https://a.com/b?x=1\\u0026y=2"}', ["https://a.com/b?x=1&y=2"]),
        ("'url': 'https://a.com/b', 'x'", ["https://a.com/b"]),
        ("line\\nhttps://a.com/b\\nnext", ["https://a.com/b"]),
        ("**https://a.com/b**", ["https://a.com/b"]),
        ("`https://a.com/b`", ["https://a.com/b"]),
        ("|https://a.com/b|x|", ["https://a.com/b"]),
        ("《https://a.com/b》（https://c.cn/）", ["https://a.com/b", "https://c.cn/"]),
        ("www.example.com/a?b=1 x", ["www.example.com/a?b=1"]),
        ("https://a.com https://a.com", ["https://a.com", "https://a.com"]),
        ("HTTPS://A.com/B", ["HTTPS://A.com/B"]),
        ("https://", []),
        ("me@www.example.com ftp://a.b", []),
        ("no url", []),
    ],
)
def test_find_urls(text, urls):
    assert find_urls(text) == urls


@pytest.mark.parametrize("value", [None, 5, [], b"https://a.com"])
def test_anything_else_holds_no_url(value):
    assert find_urls(value) == []


def same(mode, *urls):
    return len({canonical(url, mode) for url in urls}) == 1


def test_a29_basic_removes_what_does_not_name_the_page():
    assert same(
        "basic",
        "https://www.Example.com:443/a/?utm_source=x&b=1&a=2#frag",
        "http://example.com/a?a=2&b=1",
        "example.com:80/a?b=1&gclid=z&a=2&spm=1.2.3&fbclid=q",
        "https://user:pw@example.com/a?b=1&a=2",
        " https://EXAMPLE.com./a/?a=2&b=1 ",
    )
    assert canonical("https://www.example.com/a/?b=1#x") == "example.com/a?b=1"
    assert canonical("https://例子.测试/路径") == canonical("https://xn--fsqu00a.xn--0zwm56d/路径")
    assert same("basic", "https://a.com/wiki/北京", "https://a.com/wiki/%e5%8c%97%E4%BA%AC")
    assert same("basic", "https://a.com/%7Ex", "https://a.com/~x")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.com/b", "https://a.com/B"),
        ("https://a.com/b?x=1", "https://a.com/b?x=2"),
        ("https://a.com:8080/b", "https://a.com/b"),
        ("https://a.com/b%2Fc", "https://a.com/b/c"),
        ("https://a.com/index.html", "https://a.com/"),
        ("https://m.a.com/b", "https://a.com/b"),
        ("https://a.com/?id=1", "https://a.com/?sid=1"),
        ("http://www.com/", "http://com/"),
    ],
)
def test_basic_keeps_different_pages_apart(one, other):
    assert canonical(one) != canonical(other)


def test_strict_merges_more_and_off_nothing():
    assert same("strict", "https://m.a.com/x/../b//index.html?q=&sid=9", "http://www.a.com/b/")
    assert canonical(" https://www.a.com/b/ ", "off") == "https://www.a.com/b/"
    with pytest.raises(PolicyError, match="off, basic, strict"):
        canonical("https://a.com", "loose")


@given(st.text(max_size=60), st.sampled_from(["basic", "strict"]))
def test_no_text_raises_and_twice_is_once(tail, mode):
    once = canonical("https://a.com/" + tail, mode)
    assert isinstance(once, str)
    canonical(tail, mode)
    find_urls(tail)


@given(
    st.lists(st.sampled_from(["a=1", "b=2", "utm_x=3", "c", "gclid=4"]), max_size=5, unique=True),
    st.sampled_from(["basic", "strict"]),
)
def test_canonical_is_a_fixed_point(query, mode):
    once = canonical("https://www.a.com/p%20q/北?" + "&".join(query), mode)
    assert canonical(once, mode) == once


@pytest.mark.parametrize(
    "text",
    [
        "https://" * 125_000,
        "https://a.com/" + "a" * 10**6,
        "https://a.com/" + ")" * 10**6,
        "www." * 250_000,
        "https://a.com/b " * 62_500,
        "\\" * 10**6,
        "https://a.com/" + "北/" * 500_000,
        "a" * 10**6,
    ],
    ids=lambda text: text[:12],
)
def test_a_million_characters_stay_linear(text):
    started = time.perf_counter()
    for url in find_urls(text):
        canonical(url)
    canonical(text, "strict")
    assert time.perf_counter() - started < 10
