"""Files that are more, or other, than they look: archives, databases, pickles, huge documents."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

__all__ = ["archives", "databases", "documents", "pickles"]

ROW = {"round": 1, "tool": "web_search", "args": {"query": "weather"}, "result": "sunny"}
_LINE = json.dumps(ROW).encode() + b"\n"


def rows(number: int) -> list[dict[str, Any]]:
    """Return a sound run in the plain format."""
    return [
        {**ROW, "round": n, "args": {"query": f"weather {n % 7}"}} for n in range(1, number + 1)
    ]


def _zip(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two members with one name: that is the point
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def _gz(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)  # at no time: made again, the same


def _bomb(size: int, unit: bytes) -> bytes:
    """Return a packed file of so many bytes: one member, again and again."""
    return _gz(unit * 1000) * (size // (len(unit) * 1000))


def archives() -> Iterator[tuple[str, bytes]]:
    """Yield archives: bombs, names that lead out, members that lie."""
    evil = (
        "../owned.jsonl", "../../../../tmp/owned.jsonl", "/tmp/owned.jsonl", "C:\\owned.jsonl",
        "..\\..\\owned.jsonl", "a/../../owned.jsonl", "./././a.jsonl", "a\x00.jsonl", "con.jsonl",
        "a" * 5000 + ".jsonl", "\u202elnosj.x", "<img src=x onerror=alert(1)>.jsonl", "-rf.jsonl",
    )  # fmt: skip
    for n, name in enumerate(evil):
        yield f"name-{n}.zip", _zip((name, _LINE * 3))
        yield f"name-{n}.eval", _zip(
            (name, _LINE), ("header.json", b'{"version": 2, "status": "success", "eval": {}}'),
            (f"samples/{name}", b'{"id": 1, "epoch": 1, "messages": []}'),
        )  # fmt: skip
    zeros = bytes(100_000_000)
    yield "zeros.zip", _zip(("a.jsonl", zeros))
    yield "zeros.eval", _zip(("header.json", b"{}"), ("samples/a_epoch_1.json", zeros))
    yield "spaces.zip", _zip(("a.json", b" " * 100_000_000))
    yield "inner.zip", _zip(("a.zip", _zip(("b.zip", _zip(("c.jsonl", zeros))))))
    yield "many.zip", _zip(*((f"{n}.jsonl", b"{}") for n in range(20_000)))
    yield "same.zip", _zip(*[("a.jsonl", _LINE)] * 300)
    yield "empty.zip", _zip()
    yield (
        "stored.zip",
        _zip(("a.jsonl", _LINE), method=zipfile.ZIP_STORED).replace(b"a.jsonl", b"../../x"),
    )
    sound = bytearray(_zip(("a.jsonl", _LINE * 9)))
    at = sound.find(b"PK\x01\x02")
    for shift, value in ((24, 2**32 - 2), (24, 0), (20, 2**32 - 2), (42, 2**31), (8, 0xFFFF)):
        lying = bytearray(sound)
        size = 2 if shift == 8 else 4
        lying[at + shift : at + shift + size] = struct.pack("<H" if size == 2 else "<I", value)
        yield f"lie-{shift}-{value}.zip", bytes(lying)
    link = zipfile.ZipInfo("a.jsonl")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    yield "link.zip", out.getvalue()
    yield "zeros.jsonl.gz", _bomb(1_000_000_000, bytes(1000))
    yield "spaces.json.gz", _bomb(1_000_000_000, b" " * 1000)
    yield "open.json.gz", _bomb(300_000_000, b"[" * 1000)
    yield "lines.jsonl.gz", _bomb(300_000_000, b"\n" * 1000)
    yield "digits.json.gz", _bomb(300_000_000, b"9" * 1000)
    yield (
        "string.json.gz",
        _gz(b'[{"round": 1, "tool": "') + _bomb(300_000_000, b"a" * 1000),
    )
    yield "objects.json.gz", _gz(b"[") + _bomb(300_000_000, b"{}, " * 250)
    yield "empties.jsonl.gz", _bomb(30_000_000, b"{}\n" * 300)
    yield "twice.jsonl.gz", _gz(_gz(_LINE))
    yield "cut.jsonl.gz", _gz(_LINE * 1000)[:-12]
    yield "members.jsonl.gz", _gz(_LINE) * 3000
    yield "zeros.jsonl.bz2", bz2.compress(zeros[:10_000_000]) * 10
    yield "zeros.jsonl.xz", lzma.compress(zeros[:10_000_000]) * 10
    yield "log.tar.gz", _gz(b"../owned.jsonl" + bytes(498) + _LINE)


def databases() -> Iterator[tuple[str, bytes]]:
    """Yield SQLite files whose reading would do something, or never end."""
    session = "CREATE TABLE session (id, parent_id, directory, title, version, time_created);"
    part = "CREATE TABLE part (id, message_id, session_id, data);"
    message = "CREATE TABLE message (id, session_id, data);"
    one = "INSERT INTO session VALUES ('s', NULL, '/w', '<script>alert(1)</script>', '1', 1);"
    endless = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS {} FROM c"
    )
    scripts = {
        "trigger": session
        + message
        + part
        + one
        + "CREATE TRIGGER t AFTER INSERT ON session BEGIN "
        "DELETE FROM session; END; CREATE TRIGGER u BEFORE UPDATE ON part BEGIN SELECT "
        "RAISE(ABORT, 'owned'); END;",
        "view": f"CREATE VIEW session AS {endless.format('id')};" + message + part,
        "views": session + one + f"CREATE VIEW message AS {endless.format('session_id')};" + part,
        "extension": session
        + message
        + part
        + one
        + "CREATE VIEW v AS SELECT load_extension('/tmp/owned.so');",
        "cross": session
        + one
        + message
        + part
        + "INSERT INTO message SELECT 'm', 's', '{}' FROM (SELECT 1 UNION SELECT 2);",
        "blobs": session
        + message
        + part
        + one
        + "INSERT INTO message VALUES (zeroblob(1000), 's', zeroblob(1000000));",
        "big": session
        + message
        + part
        + one
        + "INSERT INTO message VALUES ('m', 's', printf('%.*c', 50000000, 'a'));",
        "types": session + message + part + "INSERT INTO session VALUES (NULL, 1, 2, 3, 4, 'x');"
        "INSERT INTO message VALUES (1, NULL, 5); INSERT INTO part VALUES (1, 1, NULL, 7);",
        "columns": "CREATE TABLE session (id); CREATE TABLE message (id); CREATE TABLE part (id);",
        "loop": session + message + part + "INSERT INTO session VALUES ('a', 'b', '', '', '1', 1);"
        "INSERT INTO session VALUES ('b', 'a', '', '', '1', 2);",
        "names": 'CREATE TABLE "a""; DROP TABLE x; --" (x); CREATE TABLE session (id);',
        "goose": "CREATE TABLE sessions (id, description, working_dir, created_at);"
        "CREATE TABLE messages (id, session_id, role, content_json, created_timestamp);"
        "INSERT INTO sessions VALUES ('s', '<img src=x onerror=alert(1)>', '/w', 1);"
        "INSERT INTO messages VALUES (1, 's', 'user', '[[[[', 1e400);",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, script in scripts.items():
            path = Path(folder) / f"{name}.db"
            with closing(sqlite3.connect(path)) as link:
                link.executescript(script)
                link.commit()
            data = path.read_bytes()
            yield f"{name}.db", data
            if name == "trigger":
                yield "cut.db", data[: len(data) // 2]
                schema = bytearray(data)
                schema[100:120] = b"\xff" * 20
                yield "damaged.db", bytes(schema)
                yield "database.jsonl", data


class _Owned:
    """When it is unpickled, it leaves a file behind."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return open, (self.path, "w")


def pickles(owned: str) -> Iterator[tuple[str, bytes]]:
    """Yield pickles under the names of logs; unpickled, each writes the file `owned`."""
    for protocol in (0, 2, 5):
        data = pickle.dumps([{"round": 1, "tool": _Owned(owned)}], protocol)
        for suffix in (".json", ".jsonl", ".pkl", ".parquet", ".db", ".eval"):
            yield f"pickle-{protocol}{suffix}", data
        yield f"pickle-{protocol}.jsonl.gz", _gz(data)
        yield f"pickle-{protocol}.zip", _zip(("a.jsonl", data), ("b.pkl", data))


def documents() -> Iterator[tuple[str, bytes]]:
    """Yield documents that are too deep, too long, too large, or hold what is no number."""
    for depth in (600, 10_000, 100_000):
        for name, opened, closed in (("list", b"[", b"]"), ("object", b'{"a":', b"}")):
            deep = opened * depth + b"1" + closed * depth
            yield f"deep-{name}-{depth}.json", deep
            yield (
                f"deep-{name}-{depth}-args.jsonl",
                (b'{"round": 1, "tool": "t", "args": {"x": ' + deep + b'}, "result": "r"}\n'),
            )
            text = json.dumps(deep.decode())
            yield (
                f"deep-{name}-{depth}-text.jsonl",
                (f'{{"round": 1, "tool": "t", "args": {text}, "result": {text}}}\n'.encode()),
            )
            yield f"deep-{name}-{depth}-call.json", json.dumps({"messages": [{
                "role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function",
                "function": {"name": "t", "arguments": deep.decode()}}]}]}).encode()  # fmt: skip
    for value in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-999", "9" * 5000, "-0.0"):
        for key in ("seconds", "tokens", "cost", "started", "round"):
            row = json.dumps({**ROW, key: 12345}).replace("12345", value)
            yield f"number-{value[:9]}-{key}.jsonl", (row + "\n").encode() * 3
    line = "x" * 1_000_000
    for key in ("result", "thought", "text", "tool", "thread"):
        yield f"line-{key}.jsonl", (json.dumps({**ROW, key: line}) + "\n").encode() * 2
    yield "line-query.jsonl", (json.dumps({**ROW, "args": {"query": line}}) + "\n").encode() * 2
    words = " ".join(f"w{n}" for n in range(150_000))
    yield "line-words.jsonl", (json.dumps({**ROW, "args": {"query": words}}) + "\n").encode() * 2
    yield "rounds.jsonl", b"".join(json.dumps(r).encode() + b"\n" for r in rows(100_000))
    yield (
        "threads.jsonl",
        b"".join(json.dumps({**ROW, "thread": f"t{n}"}).encode() + b"\n" for n in range(5000)),
    )
    yield "calls.jsonl", _LINE * 20_000
    yield "keys.jsonl", json.dumps({**ROW, "args": {f"k{n}": n for n in range(50_000)}}).encode()
    yield "nulls.jsonl", b"null\n" * 100_000
    yield "empties.jsonl", b"{}\n" * 100_000
    yield "one-line.json", b"[" + b",".join([_LINE.strip()] * 20_000) + b"]"
    yield "blank.jsonl", b"\n" * 1_000_000
    yield "bytes.jsonl", bytes(range(256)) * 2000
    yield "utf16.jsonl", (_LINE * 100).decode().encode("utf-16")
    yield "utf32.jsonl", (_LINE * 100).decode().encode("utf-32")
    yield "latin.jsonl", (_LINE * 3).replace(b"sunny", b"\xe9\xff\xc0\x80")
    yield "yaml.json", b"a: &a [x, x]\nb: &b [*a, *a]\n" * 100
    yield "laughs.json", b'<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'
