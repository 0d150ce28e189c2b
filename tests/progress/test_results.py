"""Masks: what changes by itself goes, the news stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.results import digest, lines, mask


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("2025-05-20 10:00:01,123 INFO ready", "<time> INFO ready"),
        ("2025-05-20T10:00:01.123456Z end", "<time> end"),
        ("2025-05-20T10:00:01+08:00 end", "<time> end"),
        ("Tue May 20 10:00:01 2025 ok", "<time> ok"),
        ("Date: Tue, 20 May 2025 10:00:01 GMT", "Date: <time>"),
        ("5 passed in 3.21s", "5 passed in <duration>"),
        ("took 300 ms, 3 items", "took <duration>, 3 items"),
        ("Wall time: 12.3 seconds", "Wall time: <duration>"),
        ("耗时12秒，5条", "耗时<duration>，5条"),
        ("<A object at 0x7fff12ab12>", "<A object at <address>>"),
        ("sha c99a74c555371a433d121f551d6c6398", "sha <hex>"),
        ("commit 3f2a91bc", "commit <hex>"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id <uuid>"),
        ("pid=431 done", "pid=<id> done"),
        ("[pid 431] done", "[pid <id>] done"),
        ('"request_id": "req_Ab-12"', '"request_id": "<id>"'),
        ("chunk ID: a8f3c2", "chunk ID: <id>"),
        ("at 1716192000.5 and 1716192000123", "at <epoch> and <epoch>"),
        ("/tmp/pytest-1/x.py:12: error", "<tmp>:12: error"),
        ("/var/folders/ab/T/x end", "<tmp> end"),
        ("\x1b[31mred\x1b[0m 1", "red 1"),
    ],
)
def test_what_changes_by_itself_is_masked(line, masked):
    assert mask(line) == masked


@pytest.mark.parametrize(
    "line",
    [
        "5 tests failed, 120 passed",
        "price 5999.00 in 2025",
        "2025-05-20: 21 degrees",
        "version 3.11.7",
        "line 1234567",
        "deadbeef cafebabe defaced",
        "北京 21 度",
        "item s3 10mb 3sx",
        "user/tmpfile.py",
        "ratio 3:2",
        "c99a74c555371a433d121f551d6c6398  /a/file.c",
    ],
)
def test_the_news_stays(line):
    assert mask(line) == line


def test_lines_are_masked_collapsed_and_not_empty():
    assert lines("  a   b \r\n\n\t\n3 ms\n") == ["a b", "<duration>"]
    assert lines(None) == lines(7) == lines("") == []


def test_digest_is_that_of_the_masked_text():
    assert digest("ok in 3ms\n") == digest("ok   in 9ms") != digest("ok in vain")
    assert digest("a\nb") != digest("b\na")
    # The same value on every machine: BLAKE2b-64 of no bytes.
    assert digest("") == digest(None) == "e4a6a0577479b2b4"
    assert len(digest("\ud800")) == 16


@given(st.text(max_size=80))
def test_masking_twice_is_masking_once_for_lines_without_marks(text):
    for line in lines(text):
        assert line == " ".join(line.split())


@pytest.mark.parametrize(
    "text",
    [
        "1" * 10**6,
        "a1" * 500_000,
        "/tmp/" + "a" * 10**6,
        "1:" * 500_000,
        "id=" * 330_000,
        "c:\\a" * 250_000,
        "\x1b[" * 500_000,
        "1 " * 500_000,
        "May 1 " * 166_000,
        "\n" * 10**6,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_a_million_characters_stay_linear(text):
    started = time.perf_counter()
    digest(text)
    assert time.perf_counter() - started < 15
