"""Streams that break off: what came before is read, and the end is told of."""

from __future__ import annotations

import gzip
import io
import json
import random
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.guarded import guarded, is_packed
from agentlens.trace.load import load


def lines(number: int) -> bytes:
    dice = random.Random(1)
    rows = [
        {"round": n, "tool": "w", "args": {"q": f"{dice.getrandbits(800):x}"}, "result": "r"}
        for n in range(1, number + 1)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_packed_log_that_is_damaged_later_on_is_read_up_to_there(tmp_path: Path, damage: str):
    data = bytearray(gzip.compress(lines(2000)))
    if damage == "cut":
        del data[len(data) // 2 :]
    else:
        data[len(data) // 2 : len(data) // 2 + 400] = bytes(400)
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(data)
    for source in (path, io.BytesIO(bytes(data)), gzip.GzipFile(fileobj=io.BytesIO(data))):
        trace = load(source)
        assert 500 < len(trace) < 1500
        rounds = trace.tables["rounds"]["round"]
        assert rounds[:500] == list(range(1, 501))
        assert any("cannot be read to its end: " in note.message for note in trace.notes)


def test_a_packed_log_that_is_damaged_at_once_is_an_error(tmp_path: Path):
    path = tmp_path / "log.gz"
    good = gzip.compress(b'[{"round": 1, "tool": "w"}]')
    for data in (good[:10] + b"\xff" * 30, b"\x1f\x8b\x08", b"\x1f\x8b\x07" + good[3:]):
        path.write_bytes(data)
        with pytest.raises(TraceError, match=r"cannot read: .") as caught:
            load(path)
        assert "\n" not in str(caught.value)


class Lost(io.RawIOBase):
    """A remote file whose connection is lost after some bytes."""

    def __init__(self, data: bytes, most: int):
        self.inner, self.most = io.BytesIO(data), most

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.inner.seek(offset, whence)

    def tell(self) -> int:
        return self.inner.tell()

    def readinto(self, buffer) -> int:
        if self.inner.tell() >= self.most:
            raise ConnectionResetError("the peer is gone")
        data = self.inner.read(min(len(buffer), 1000))
        buffer[: len(data)] = data
        return len(data)


def test_a_connection_that_is_lost():
    data = lines(2000)
    trace = load(io.BufferedReader(Lost(data, 200_000)))
    assert len(trace) == data[:200_000].count(b"\n")
    assert any(note.message.endswith("the peer is gone") for note in trace.notes)
    with pytest.raises(TraceError, match="cannot read: the peer is gone"):
        load(io.BufferedReader(Lost(data, 0)))


def test_only_what_may_break_is_guarded(tmp_path: Path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"{}"))
    memory = io.BytesIO(b"{}")
    assert guarded(memory) is memory
    with path.open("rb") as stream:
        assert guarded(stream) is stream
        assert not is_packed(stream)
        packed = guarded(gzip.GzipFile(fileobj=stream))
        assert is_packed(packed)
        assert guarded(packed) is packed
        assert packed.read() == b"{}"
        assert packed.seek(1) == 1
        assert packed.read() == b"}"
