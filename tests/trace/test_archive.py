"""Logs in a ZIP: bounds, damage, and members compressed with Zstandard."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from agentlens.errors import TraceError
from agentlens.trace import archive
from agentlens.trace.load import load, load_many

SAMPLE = {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "q"},
          {"role": "assistant", "content": "a"}]}  # fmt: skip
HEADER = {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}}


def packed(members: dict[str, object], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return io.BytesIO(out.getvalue())


def zstd_zip(members: dict[str, object]) -> io.BytesIO:
    """Write a ZIP of method 93 by hand, as the format's specification lays it out."""
    out, directory = io.BytesIO(), b""
    for name, value in members.items():
        plain = json.dumps(value).encode()
        data = zstandard.ZstdCompressor().compress(plain)
        at, raw = out.tell(), name.encode()
        fields = (63, 0, 93, 0, 0, zlib.crc32(plain), len(data), len(plain), len(raw), 0)
        out.write(b"PK\x03\x04" + struct.pack("<5H3I2H", *fields) + raw + data)
        directory += (b"PK\x01\x02" + struct.pack("<6H3I5H2I", 63, *fields[:5], *fields[5:9], 0, 0,
                                                  0, 0, 0, at) + raw)  # fmt: skip
    at = out.tell()
    out.write(directory + b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, len(members), len(members),
                                                      len(directory), at, 0))  # fmt: skip
    return io.BytesIO(out.getvalue())


@pytest.mark.parametrize("make", [packed, zstd_zip])
def test_members_are_read_whatever_their_method(make):
    trace = load(make({"header.json": HEADER, "samples/1_epoch_1.json": SAMPLE}))
    assert trace.format == "inspect_ai"
    assert trace.tables["rounds"]["text"] == ["a"]
    assert trace.meta.extra["run_status"] == "success"


def test_a_run_that_goes_on_has_no_header_yet():
    trace = load(packed({"_journal/start.json": HEADER, "samples/1_epoch_1.json": SAMPLE}))
    assert any("still running" in note.message for note in trace.notes)


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(TraceError, match="pip install zstandard"):
        load(zstd_zip({"header.json": HEADER}))


def test_a_damaged_member_costs_that_member(tmp_path: Path):
    source = packed(
        {
            "header.json": HEADER,
            "samples/1_epoch_1.json": SAMPLE,
            "samples/2_epoch_1.json": b"{oops",
            "samples/3_epoch_1.json": SAMPLE,
        }
    )
    path = tmp_path / "a.eval"
    path.write_bytes(source.getvalue())
    traces = list(load_many(path))
    assert len(traces) == 2
    assert any(note.kind == "damaged" for note in traces[-1].notes)
    assert len(list(load_many(tmp_path))) == 2


@pytest.mark.parametrize("change", ["cut", "noise", "none"])
def test_damaged_archives_give_one_line(change):
    data = packed({"header.json": HEADER, "samples/1_epoch_1.json": SAMPLE}).getvalue()
    if change == "cut":
        data = data[: len(data) // 2]
    elif change == "noise":
        data = data[:40] + b"\xff" * 20 + data[60:]
    else:
        data = packed({"notes.txt": b"x"}).getvalue()
    with pytest.raises(TraceError) as caught:
        load(io.BytesIO(data))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [packed, zstd_zip])
def test_a_member_that_unpacks_too_large_is_refused(make, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBER", 1000)
    source = make({"header.json": {**HEADER, "pad": " " * 2000}})
    with pytest.raises(TraceError, match="too large"):
        load(source)
    lying = bytearray(source.getvalue())
    size = lying.find(struct.pack("<I", len(json.dumps({**HEADER, "pad": " " * 2000}))))
    while size >= 0:  # a header may lie about what comes out
        lying[size : size + 4] = struct.pack("<I", 10)
        size = lying.find(struct.pack("<I", len(json.dumps({**HEADER, "pad": " " * 2000}))))
    with pytest.raises(TraceError):
        load(io.BytesIO(bytes(lying)))
