"""The numbers of the lesson's two tables, and the laws between them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.teach.monte_carlo import simulate
from agentlens.teach.trigger_amplifier import (
    Loop,
    extra_rounds,
    extra_rounds_closed,
    outcome,
    rounds_distribution,
    trip_probability,
)

#: R g c k d: extra rounds without and with the breaker, P(trip), lost successes.
TABLE = [
    (5, 0, 1, 2, 1, 4.0000, 1.0000, 1, 0),
    (5, 0, 1, 2, 0.8, 4.0000, 1.6960, 0.8960, 0),
    (5, 0.1, 1, 2, 0.9, 3.4390, 1.2797, 0.8537, 0.2159),
    (5, 0.2, 0.9, 2, 0.9, 2.3505, 1.0834, 0.5899, 0.2549),
    (10, 0.1, 0.95, 3, 0.8, 4.9520, 2.6468, 0.5517, 0.2310),
    (20, 0.05, 1, 2, 0.7, 12.4529, 2.2826, 0.8858, 0.5072),
    (400, 0.1, 0.97, 2, 0.8, 7.6378, 1.5715, 0.7704, 0.6068),
    (400, 0.1, 0.97, 3, 0.8, 7.6378, 2.8175, 0.6122, 0.4820),
]


@pytest.mark.parametrize(("r", "g", "c", "k", "d", "off", "on", "trip", "lost"), TABLE)
def test_the_table_of_closed_forms(r, g, c, k, d, off, on, trip, lost):
    loop = Loop(r, g, c, k, d)
    assert extra_rounds_closed(loop.off) == pytest.approx(off, abs=5e-5)
    assert extra_rounds(loop.off) == pytest.approx(off, abs=5e-5)
    assert extra_rounds(loop) == pytest.approx(on, abs=5e-5)
    assert trip_probability(loop) == pytest.approx(trip, abs=5e-5)
    # The table's lost successes were drawn, 200,000 times: three standard errors.
    assert g * (extra_rounds(loop.off) - extra_rounds(loop)) == pytest.approx(lost, abs=3.4e-3)
    if r == 400:  # far enough to be infinity
        assert extra_rounds_closed(Loop(math.inf, g, c, k, d)) == pytest.approx(on, abs=5e-5)
    if d == 1:
        assert extra_rounds_closed(loop) == on


@pytest.mark.parametrize(("r", "g", "c", "k", "d", "off", "on", "trip", "lost"), TABLE)
def test_random_runs_agree_within_their_band(r, g, c, k, d, off, on, trip, lost, count):
    loop, runs = Loop(r, g, c, k, d), count(20_000, 200_000)
    with_, without = simulate(1, loop, runs), simulate(1, loop.off, runs, seed=8)
    assert extra_rounds(loop) in with_.extra
    assert trip_probability(loop) in with_.trip
    assert extra_rounds(loop.off) in without.extra
    assert outcome(1, loop).success in with_.success
    assert without.trip.mean == 0


#: g, d: wasted rounds, worst case, success and seconds, of (p, breaker) in four.
GRID = {
    (0, 1): {
        (0.3, False): (1.200, 5, 0.70, 15.8), (0.3, True): (0.300, 2, 0.70, 9.3),
        (0.1, False): (0.400, 5, 0.90, 10.0), (0.1, True): (0.100, 2, 0.90, 7.9),
    },
    (0.1, 0.9): {
        (0.3, False): (0.929, 5, 0.803, 14.6), (0.3, True): (0.346, 5, 0.738, 9.9),
        (0.1, False): (0.310, 5, 0.934, 9.6), (0.1, True): (0.115, 5, 0.913, 8.1),
    },
}  # fmt: skip


@pytest.mark.parametrize(("g", "d"), GRID)
def test_the_two_by_two(g, d, count):
    for (p, breaker), (wasted, worst, success, seconds) in GRID[g, d].items():
        loop = Loop(5, g, 1, 2 if breaker else None, d)
        found = outcome(p, loop)
        assert found.wasted == pytest.approx(wasted, abs=5.1e-4)
        assert found.worst == worst
        assert found.success == pytest.approx(success, abs=5.1e-4)
        assert found.seconds == pytest.approx(seconds, abs=0.051)
        drawn = simulate(p, loop, count(20_000, 200_000))
        assert found.wasted in drawn.wasted
        assert found.success in drawn.success
        assert found.seconds in drawn.seconds
        assert drawn.worst <= worst


def test_the_pure_loop_to_the_letter():
    off, on = Loop(threshold=None), Loop(threshold=2)
    four = [outcome(p, loop).wasted for p in (0.3, 0.1) for loop in (off, on)]
    assert four == pytest.approx([1.2, 0.3, 0.4, 0.1])
    assert [outcome(p, off).worst for p in (0.3, 0.1)] == [5, 5]
    assert [outcome(p, on).worst for p in (0.3, 0.1)] == [2, 2]
    assert four[0] / four[3] == pytest.approx((four[0] / four[1]) * (four[0] / four[2]))


def by_enumeration(loop: Loop) -> tuple[float, float, list[float]]:
    """Sum over every history of a short run, one coin after another: slow, and on its own."""
    extra = trip = 0.0
    shares = [0.0] * int(loop.rounds)

    def walk(n: int, streak: int, chance: float) -> None:
        nonlocal extra, trip
        if n == loop.rounds or chance == 0:
            shares[n - 1] += chance
            return
        shares[n - 1] += chance * (1 - loop.persistence)
        for similar, part in ((True, loop.detection), (False, 1 - loop.detection)):
            here = chance * loop.persistence * part
            now = streak + 1 if similar else 0
            if loop.threshold is not None and now >= loop.threshold:
                trip += here
                shares[n - 1] += here
                continue
            extra += here
            shares[n] += here * loop.success
            walk(n + 1, now, here * (1 - loop.success))

    walk(1, 0, 1.0)
    return extra, trip, shares


probability = st.floats(0, 1)
loops = st.builds(
    Loop, st.integers(1, 6), probability, probability,
    st.one_of(st.none(), st.integers(1, 7)), probability,
)  # fmt: skip


@given(loops)
def test_recursion_is_the_sum_over_all_histories(loop):
    extra, trip, shares = by_enumeration(loop)
    assert extra_rounds(loop) == pytest.approx(extra, abs=1e-9)
    assert trip_probability(loop) == pytest.approx(trip, abs=1e-9)
    assert rounds_distribution(loop) == pytest.approx(shares, abs=1e-9)
    assert sum(shares) == pytest.approx(1)
    closed = extra_rounds_closed(loop)
    assert closed is None or closed == pytest.approx(extra, abs=1e-6)


@given(loops, probability)
def test_it_is_a_product_and_the_price_goes_with_the_saving(loop, p):
    found, off = outcome(p, loop), outcome(p, loop.off)
    assert found.wasted == pytest.approx(p * found.amplification)
    assert found.wasted <= off.wasted + 1e-9
    sigma_on, sigma_off = (loop.success * extra_rounds(x) for x in (loop, loop.off))
    assert sigma_off * found.amplification == pytest.approx(sigma_on * off.amplification, abs=1e-9)


def test_bad_values_are_named():
    for values, name in (({"success": 2}, "success"), ({"threshold": 0}, "threshold"),
                         ({"rounds": 0}, "rounds"), ({"rounds": 2.5}, "rounds")):  # fmt: skip
        with pytest.raises(ValueError, match=name):
            Loop(**values)
    with pytest.raises(ValueError, match="trigger"):
        outcome(1.5, Loop())
    with pytest.raises(ValueError, match="finite"):
        extra_rounds(Loop(math.inf))
