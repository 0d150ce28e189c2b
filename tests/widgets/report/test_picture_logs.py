"""Drawing a picture silences what draws it, nobody else; two at once leave no logger off."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import agentlens as al
from agentlens.widgets.report.picture import picture

LIBRARIES = ("kaleido", "choreographer")


class Slow(ModuleType):
    """A kaleido that draws when it is told to."""

    def __init__(self) -> None:
        super().__init__("kaleido")
        self.begun = [threading.Event(), threading.Event()]
        self.go = [threading.Event(), threading.Event()]
        self.count = iter(range(2))

    def write_fig_sync(self, _: Any, path: Path, **__: Any) -> None:
        number = next(self.count)
        self.begun[number].set()
        assert self.go[number].wait(30)
        if number:
            raise RuntimeError("no Chrome")
        path.write_bytes(b"drawn")


@pytest.fixture
def kaleido(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setitem(sys.modules, "kaleido", made)
    return made


def test_two_pictures_at_once(kaleido: Slow, caplog: pytest.LogCaptureFixture) -> None:
    run = al.replay(al.load([{"round": 1, "tool": "web_search", "args": {"query": "天气"}}]))
    logging.getLogger("choreographer").setLevel(logging.INFO)
    drawn: list[bytes] = []

    def one() -> None:
        drawn.append(picture(run, "svg"))

    def other() -> None:
        with pytest.raises(al.TraceError, match="could not draw the picture: no Chrome"):
            picture(run, "svg")
        drawn.append(b"")

    def say(when: str) -> None:
        for name in (*LIBRARIES, "kaleido.kaleido", "choreographer.browser_async"):
            logging.getLogger(name).error("%s: they", when)
        logging.getLogger("host").error("%s: the host", when)
        logging.getLogger("kaleido.kaleido").critical("%s: disaster", when)

    threads = [threading.Thread(target=each) for each in (one, other)]
    try:
        for number, thread in enumerate(threads):
            thread.start()
            assert kaleido.begun[number].wait(30)
        say("both")
        for number, thread in enumerate(threads):
            kaleido.go[number].set()
            thread.join(30)
            say(f"{1 - number} left")
        assert logging.getLogger("choreographer").level == logging.INFO
        assert logging.getLogger("kaleido").level == logging.NOTSET
    finally:
        logging.getLogger("choreographer").setLevel(logging.NOTSET)
    assert drawn == [b"drawn", b""]
    assert logging.root.manager.disable == 0
    assert caplog.messages == [
        "both: the host", "both: disaster", "1 left: the host", "1 left: disaster",
        *["0 left: they"] * 4, "0 left: the host", "0 left: disaster",
    ]  # fmt: skip
