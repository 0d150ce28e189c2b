"""The counting rule by itself, against what the article says of it."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.query import classic
from agentlens.breaker.query.classic import COUNT, NEUTRAL, RESET, count_rounds, role_of


def test_r10_a_similar_round_counts_and_a_dissimilar_one_resets():
    rounds = [(COUNT, False), (COUNT, True), (COUNT, False), (COUNT, True)]
    assert count_rounds(rounds, 9).counts == [0, 1, 0, 1]


def test_r11_the_round_that_reaches_the_threshold_is_the_last_counted():
    assert count_rounds([(COUNT, True)] * 5, 2) == ([1, 2], 1)


def test_r12_mixed_rounds_do_not_take_part_and_business_rounds_reset():
    assert role_of("search") == COUNT
    assert role_of("mixed") == NEUTRAL
    assert role_of("business") == RESET
    assert role_of("message") == role_of("preamble") == role_of("copied") == NEUTRAL


def test_r13_a_neutral_round_leaves_the_count_and_a_reset_clears_it():
    rounds = [(COUNT, True), (NEUTRAL, True), (COUNT, True), (RESET, False), (COUNT, True)]
    assert count_rounds(rounds, 9).counts == [1, 1, 2, 0, 1]


def test_r21_the_core_rule_is_one_small_module_without_dependencies():
    source = Path(classic.__file__).read_text("utf-8")
    assert len(source.splitlines()) <= 80
    roots = {
        (node.module or "").split(".")[0]
        if isinstance(node, ast.ImportFrom)
        else node.names[0].name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert roots == {"__future__", "collections", "typing"}


@given(
    st.lists(st.tuples(st.sampled_from([COUNT, NEUTRAL, RESET]), st.booleans())), st.integers(1, 5)
)
def test_a_trip_ends_a_stretch_of_threshold_similar_counting_rounds(rounds, threshold):
    counts, trip = count_rounds(rounds, threshold)

    def stretch(end: int) -> int:
        """Count backwards, independently of the running count."""
        length = 0
        for role, similar in reversed(rounds[: end + 1]):
            if role == RESET or (role == COUNT and not similar):
                break
            length += role == COUNT
        return length

    wanted = [i for i, (role, _) in enumerate(rounds) if role == COUNT and stretch(i) >= threshold]
    assert trip == (wanted[0] if wanted else None)
    assert counts == [stretch(i) for i in range(len(counts))]
