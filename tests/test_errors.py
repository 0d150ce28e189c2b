"""What an error says stands on one line and moves no cursor, whatever the log holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.cli import main
from agentlens.errors import TraceError, printable


@given(st.text())
def test_every_message_prints(text: str) -> None:
    said = printable(text)
    assert said.isprintable()
    assert text.isprintable() <= (said == " ".join(text.split()))


def test_what_prints_is_kept() -> None:
    assert printable("未知格式  “天气”\n ok é") == "未知格式 “天气” ok é"
    assert printable("a\x1b[2Jb\u202ec\x00") == "a\\x1b[2Jb\\u202ec\\x00"


def test_a_log_cannot_speak_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run\x1b]0;title\x07.json"
    path.write_text(json.dumps({"\x1b[31mred\x00": 1, "\u202egnp": 2}), "utf-8")
    with pytest.raises(TraceError) as caught:
        al.load(path)
    assert str(caught.value).isprintable()
    assert main(["show", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.endswith("\n")
    assert told[:-1].isprintable()
    assert "\\x1b[31mred\\x00" in told
    assert main(["show", str(path) + "\x1b[5m"]) == 2  # a file that is not there
    assert capsys.readouterr().err[:-1].isprintable()
