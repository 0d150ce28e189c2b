"""Bit planes against counting bit by bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.planes import add_up, highest_bit, highest_counts, range_mask

words = st.integers(0, 2**64 - 1)


def bits(array):
    """Return (rows, 64 * words) of 0 and 1, the lowest bit first."""
    return np.unpackbits(array.view(np.uint8), axis=1, bitorder="little").astype(int)


@st.composite
def rows_(draw):
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 4)))
    size = shape[0] * shape[1]
    count = draw(st.integers(1, 20))
    return [
        np.array(draw(st.lists(words, min_size=size, max_size=size)), np.uint64).reshape(shape)
        for _ in range(count)
    ]


@given(rows_())
def test_add_up_counts_the_rows_of_every_bit(rows):
    want = sum(bits(row) for row in rows)
    planes = add_up([row.copy() for row in rows])
    assert (sum(bits(plane) << p for p, plane in enumerate(planes)) == want).all()


@given(rows_(), st.booleans(), st.data())
def test_highest_counts_of_every_bucket(rows, masked, data):
    width = rows[0].shape[1]
    starts = np.array(sorted({0, *data.draw(st.lists(st.integers(0, width - 1)))}))
    bucket = np.searchsorted(starts, np.arange(width), side="right") - 1
    mask = rows[0].copy() if masked else None
    total = sum(bits(row) for row in rows)
    allowed = bits(rows[0]) if masked else np.ones_like(total)
    planes = add_up([row.copy() for row in rows])
    counts, hits = highest_counts(planes, mask, starts, bucket)
    column_bucket = np.repeat(bucket, 64)
    for r in range(len(total)):
        for b in range(len(starts)):
            here = (column_bucket == b) & (allowed[r] == 1)
            top = total[r][here].max(initial=0)
            assert counts[r, b] == top
            if top:
                want = here & (total[r] == top)
                assert (bits(hits)[r][column_bucket == b] == want[column_bucket == b]).all()


@given(st.lists(st.tuples(st.integers(0, 150), st.integers(0, 150)), min_size=2, max_size=2))
def test_range_mask_sets_the_bits_from_low_to_high(edges):
    starts, bucket = np.array([0, 3]), np.array([0, 0, 0, 1, 1])
    lows, highs = (np.array([[e[side] for e in edges]]) for side in (0, 1))
    got = bits(range_mask(lows, highs, starts, bucket))[0]
    for (low, high), part in zip(edges, (got[:192], got[192:]), strict=True):
        want = [int(low <= place < high) for place in range(len(part))]
        assert part.tolist() == want


@given(st.lists(st.integers(1, 2**64 - 1), min_size=1))
def test_highest_bit(values):
    got = highest_bit(np.array(values, np.uint64))
    assert got.tolist() == [value.bit_length() - 1 for value in values]
