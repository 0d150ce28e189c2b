"""What differs in every result of one call is masked; what may be progress is not."""

from __future__ import annotations

import re
import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.fragments import PLACEHOLDER, FragmentLearner, masked
from agentlens.progress.results import lines


def run(*texts, call=b"c"):
    learner = FragmentLearner()
    return [learner.mask(call, text) for text in texts]


@pytest.mark.parametrize(
    "texts",
    [
        ["sent as m17", "sent as m4", "sent as m90", "sent as m2"],  # opaque ids
        ['{"n": 812, "hits": []}', '{"n": 44, "hits": []}', '{"n": 901, "hits": []}'],  # jumps
        ["code (read 1x this session)", "code (read 2x this session)",
         "code (read 3x this session)"],  # counts the calls
        ['{"out": "", "execution_count": 3, "duration_seconds": 0.02}',
         '{"out": "", "execution_count": 5, "duration_seconds": 0.04}',
         '{"out": "", "execution_count": 9, "duration_seconds": 0.07}'],  # named as the call's own
    ],
)  # fmt: skip
def test_from_the_third_on_results_are_equal(texts):
    found = run(*texts)
    assert found[:2] == [masked(text) for text in texts[:2]]
    assert all(PLACEHOLDER in text for text in found[2:])
    assert len(set(found[2:])) == 1


@pytest.mark.parametrize(
    "texts",
    [
        ["5 open", "4 open", "3 open", "2 open"],  # falls: it may be progress
        ["step 100/900", "step 200/900", "step 300/900"],
        ["3 of 10 done", "4 of 10 done", "5 of 10 done"],  # a share, though it counts up by one
        ["10% done", "11% done", "12% done"],
        ["1048576 bytes", "2097152 bytes", "9437184 bytes"],  # rises
        ["Feb", "Mar", "Apr"],  # words are content
        ["page 7", "page 9", "page 7", "page 3"],  # came twice
    ],
)
def test_what_may_be_news_stays(texts):
    assert run(*texts) == [masked(text) for text in texts]


def test_results_of_other_calls_or_shapes_teach_nothing():
    learner = FragmentLearner()
    for number, call in enumerate([b"a", b"b", b"c", b"d"]):
        assert learner.mask(call, f"m{number}") == f"m{number}"
    shapes = ["sent m1", "got m2", "lost m3", "seen m4"]
    assert run(*shapes) == shapes


def test_each_place_is_judged_by_itself():
    found = run("m8: 5 failed", "m3: 5 failed", "m5: 5 failed", "m1: 4 failed", "m9: 3 failed")
    assert found[2:] == ["<id>: 5 failed", "<id>: 4 failed", "<id>: 3 failed"]


def test_the_static_masks_come_first_and_a_known_id_reads_the_same():
    found = run(*(f'{{"ok": true, "messageId": "m{n}"}}' for n in range(12)))
    assert len(set(found[2:])) == 1  # m10 has three characters, which the static mask knows


def test_a_long_result_keeps_its_end_and_a_table_is_no_answer():
    end = "x" * 10
    found = run(*("y\n" * 100_000 + end + str(n) for n in range(4)))
    assert [text[-11:] for text in found] == [end + str(n) for n in range(4)]
    table = [" ".join(f"v{n}a{row}" for n in range(500)) for row in range(4)]
    assert run(*table) == table


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "a." * 100_000, "1" + "-" * 200_000, "a1" * 90_000]
)
def test_no_text_takes_long(text):
    assert len(run(text, text + "b", text + "c")) == 3


# An implementation that keeps everything and looks again at each step.


def words_of(text):
    """Return the words with a digit, and what is around them, walking over the characters."""
    out, around, at = [], [""], 0
    while at < len(text):
        end = at
        while end < len(text) and (text[end] in string.ascii_letters + string.digits + "_.-"):
            end += 1
        run_of = text[at:end]
        trimmed = run_of.rstrip(".-")
        if any(c in string.digits for c in trimmed):
            out.append(trimmed)
            around[-1] += ""
            around.append(run_of[len(trimmed) :])
        else:
            around[-1] += run_of
        at = end
        if at < len(text):
            around[-1] += text[at]
            at += 1
    return out, around


def slow(texts):
    known = ["\n".join(lines(text)) for text in texts]
    taken = [words_of(text) for text in known]
    for n, (words, around) in enumerate(taken):
        alike = [w for w, other in taken[: n + 1] if other == around]
        made = around[0]
        for place, word in enumerate(words):
            values = [w[place] for w in alike]
            hide = len(values) >= 3 and len(set(values)) == len(values)
            if hide:
                numbers = [re.fullmatch(r"(-?\d+(?:\.\d+)?)[A-Za-z]{0,3}", v) for v in values]
                if all(numbers):
                    steps = [float(m[1]) for m in numbers]
                    moves = [b - a for a, b in pairwise(steps)]
                    tally = all(move == 1 for move in moves)
                    one_way = all(m > 0 for m in moves) or all(m < 0 for m in moves)
                    share = re.search(r"/\s?\Z", around[place]) or re.match(
                        r"\s?[/%]", around[place + 1]
                    )
                    hide = not share and (tally or not one_way)
            made += (PLACEHOLDER if hide else word) + around[place + 1]
        yield made


PIECES = st.sampled_from(
    ["m", "1", "2", "3", "4", "10", "12", " ", "/", "%", "x", ".", "-", "ok", "\n", "_", "é"]
)


@given(st.lists(st.lists(PIECES, max_size=4).map("".join), max_size=12))
def test_it_equals_the_slow_one(texts):
    assert run(*texts) == list(slow(texts))
    together = [f"at {n} {text}" for n, text in enumerate(texts)]
    assert run(*together) == list(slow(together))
