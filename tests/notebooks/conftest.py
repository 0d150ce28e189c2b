"""Each notebook is run once, for all tests of its file, which has its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.story import Story


@pytest.fixture(scope="module")
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Return the notebook that the test's file is named after, run."""
    name = Path(request.path).stem.removeprefix("test_")
    return Story(name, tmp_path_factory.mktemp(name))
