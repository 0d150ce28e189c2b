"""Numbers for tokens, and doubles that order scores as fractions do."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.encoded import MAX_SIZE, encode, score_key
from agentlens.progress.measures import MEASURES, pair

sets_ = st.lists(st.frozensets(st.sampled_from("abcdefg"), max_size=5), max_size=12)


@given(sets_)
def test_encode_keeps_sizes_and_overlaps(sets):
    data = encode(sets)
    coded = [
        set(data.tokens[data.offsets[i] : data.offsets[i + 1]].tolist()) for i in range(len(sets))
    ]
    assert data.sizes.tolist() == [len(s) for s in sets] == [len(s) for s in coded]
    assert data.vocabulary == len(set().union(*sets))
    for a, x in zip(sets, coded, strict=True):
        assert [len(a & b) for b in sets] == [len(x & y) for y in coded]


@given(sets_, st.data())
def test_entries_list_the_tokens_of_the_chosen_sets(sets, data):
    coded = encode(sets)
    places = st.integers(0, len(sets) - 1) if sets else st.nothing()
    chosen = np.array(data.draw(st.lists(places) if sets else st.just([])), np.int64)
    row, tokens = coded.entries(chosen)
    want = [
        (r, t)
        for r, i in enumerate(chosen)
        for t in coded.tokens[coded.offsets[i] : coded.offsets[i + 1]]
    ]
    assert list(zip(row, tokens, strict=True)) == want


@st.composite
def counts(draw):
    a, b = draw(st.integers(1, MAX_SIZE)), draw(st.integers(1, MAX_SIZE))
    shared = draw(st.integers(0, min(a, b)) | st.just(min(a, b)) | st.just(min(a, b) - 1))
    return max(shared, 0), a, b


@given(counts(), counts(), st.sampled_from(MEASURES))
def test_keys_order_as_fractions_do(one, other, measure):
    keys, values = [], []
    for shared, a, b in (one, other):
        keys.append(score_key(np.array(shared), np.array(a), np.array(b), measure))
        values.append(Fraction(*pair(shared, a, b, measure)))
    assert (keys[0] < keys[1]) == (values[0] < values[1])
    assert (keys[0] == keys[1]) == (values[0] == values[1])


def test_keys_part_the_closest_cosines():
    # Largest sizes that are allowed: neighbours with the largest denominators there are.
    top = MAX_SIZE
    near = [(top - 1, top, top), (top - 1, top - 1, top), (top - 2, top - 1, top - 1)]
    keys = [float(score_key(*(np.array(x) for x in case), "cosine")) for case in near]
    values = [Fraction(*pair(*case, "cosine")) for case in near]
    assert sorted(range(3), key=keys.__getitem__) == sorted(range(3), key=values.__getitem__)
    assert len(set(keys)) == len(set(values)) == 3
