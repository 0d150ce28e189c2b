"""The story of the guard: from shadow to enforcing."""

from __future__ import annotations


def test_the_guard_goes_from_shadow_to_enforcing(story):
    said = story.stream()
    assert "3 proceed | would stop |" in said
    assert "10 not ready: 0 of 10 good runs would have been stopped" in said
    assert "80 ready: 0 of 80 good runs" in said
    assert "stalled |" in said
    assert "\npartial\n" in said
    assert "还缺supplier" in said
    assert "steel running" in said
    assert "\ncompleted\n" in said
    assert "as it must be: True" in said
    assert any('data-state="partial"' in page for page in story.shown("text/html"))
    assert not story.stream("stderr")


def test_it_stays_small(story):
    assert story.size() < 300_000  # bytes
