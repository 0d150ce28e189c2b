"""Shared fixtures: the test data beside the checkout, and how many random examples to draw."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
FULL = os.environ.get("AGENTLENS_FULL") == "1"

settings.register_profile(
    "agentlens",
    deadline=None,
    max_examples=500 if FULL else 40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("agentlens")


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared test data beside the checkout; skip where it is not there."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the shared test data is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def count():
    """Return ``count(small, full)``: how many random cases a test draws."""
    return lambda small, full: full if FULL else small
