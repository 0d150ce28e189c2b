"""Times of every kind, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agentlens.trace.times import parse_time

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "value",
    ["2026-03-02T12:00:00.000Z", "2026-03-02T13:00:00+01:00", "2026-03-02T12:00:00", NOON,
     NOON * 1e3, int(NOON) * 10**9, str(int(NOON * 1e6)), datetime(2026, 3, 2, 12)],
)  # fmt: skip
def test_one_moment_in_many_ways(value):
    assert parse_time(value) == NOON


@pytest.mark.parametrize(
    "value",
    [None, True, "", "noon", -5, 0, 1e25, float("nan"), "0001-01-01T00:00:00+23:59",
     "9999-12-31T23:59:59-23:59", "2026-13-01T00:00:00.000Z"],
)  # fmt: skip
def test_what_is_no_time(value):
    assert parse_time(value) is None
