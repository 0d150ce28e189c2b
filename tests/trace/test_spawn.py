"""The user's script is hidden as long as anyone starts a process, and then it is back."""

from __future__ import annotations

import sys
import threading
import time
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from agentlens.trace.spawn import process_pool, unseen_main

SPEC = ModuleSpec("script", None)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put a script in the place of what runs the tests."""
    made = ModuleType("__main__")
    made.__file__, made.__spec__ = "script.py", SPEC
    monkeypatch.setitem(sys.modules, "__main__", made)
    return made


def seen(script: ModuleType) -> tuple[object, object]:
    return getattr(script, "__file__", None), script.__spec__


def test_the_second_of_two_threads_is_not_seen_when_the_first_is_done(script):
    within, done, looked = (threading.Event() for _ in range(3))
    found = []

    def second():
        with unseen_main():
            within.set()
            assert done.wait(30)
            found.append(seen(script))
        found.append(seen(script))
        looked.set()

    thread = threading.Thread(target=second)
    with unseen_main():
        thread.start()
        assert within.wait(30)
    done.set()
    thread.join(30)
    assert looked.is_set()
    assert found == [(None, None), ("script.py", SPEC)]


def test_within_itself_and_after_an_error(script):
    with unseen_main():
        with pytest.raises(ValueError, match="x"), unseen_main():
            raise ValueError("x")
        assert seen(script) == (None, None)
    assert seen(script) == ("script.py", SPEC)


def test_a_prompt_has_no_file_before_and_after(script):
    del script.__file__
    script.__spec__ = None
    with unseen_main(), unseen_main():
        pass
    assert not hasattr(script, "__file__")


def test_another_main_meanwhile_gets_back_its_own(script, monkeypatch):
    other = ModuleType("__main__")
    other.__file__ = "other.py"
    first = unseen_main()
    with first:
        monkeypatch.setitem(sys.modules, "__main__", other)
        with unseen_main():
            assert seen(other) == (None, None)
        assert seen(other) == ("other.py", None)
        assert seen(script) == (None, None)
    assert seen(script) == ("script.py", SPEC)


def test_many_threads_leave_it_as_it_was(script):
    failures = []

    def often():
        for _ in range(300):
            with unseen_main():
                if seen(script) != (None, None):
                    failures.append(seen(script))

    every, step = [threading.Thread(target=often) for _ in range(6)], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in every:
            thread.start()
        for thread in every:
            thread.join()
    finally:
        sys.setswitchinterval(step)
    assert failures == []
    assert seen(script) == ("script.py", SPEC)


def give_up_work() -> None:
    with process_pool(2) as pool:
        with unseen_main():
            pool.submit(time.sleep, 60)
        raise KeyboardInterrupt


def test_given_up_it_leaves_no_thread_that_the_interpreter_would_meet_as_it_ends():
    """The pool's own thread closed a pipe while the interpreter wrote to it: a traceback."""
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        give_up_work()
    assert set(threading.enumerate()) <= before
