"""Every kind of bad input: a one-line error that says what and where, or a note and a trace."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import agentlens as al
from agentlens.errors import TraceError
from agentlens.trace.formats import FORMATS
from agentlens.trace.load import load, load_many

ROW = {
    "round": 1,
    "tool": "web_search",
    "args": {"query": "weather"},
    "result": "r",
    "error": False,
}


def rows(number: int) -> list[dict]:
    return [{**ROW, "round": n} for n in range(1, number + 1)]


def jsonl(items) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def refused(source, **options) -> str:
    with pytest.raises(TraceError) as caught:
        load(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("text", ["", "   \n\n", "\ufeff"])
def test_an_empty_file(tmp_path: Path, text: str):
    path = tmp_path / "empty.jsonl"
    path.write_text(text, "utf-8")
    assert refused(path) == f"{path}: the file is empty"


def test_a_missing_file(tmp_path: Path):
    assert refused(tmp_path / "nowhere.jsonl").endswith("nowhere.jsonl: no such file")
    assert "io.StringIO" in refused('[{"round": 1}]')


def test_a_binary_file(tmp_path: Path):
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(range(256)) * 20)
    assert "is a binary file" in refused(path)
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    assert "a damaged ZIP archive" in refused(path)
    path.write_bytes(b"SQLite format 3\x00" + bytes(100))
    assert "not a database" in refused(path)


def test_a_text_that_is_no_log(tmp_path: Path):
    path = tmp_path / "x.txt"
    path.write_text("Dear diary,\nnothing.\n")
    assert (
        refused(path)
        == f"{path}, line 1: is not JSON or JSON lines: it starts with 'Dear diary,\\nnothing.'"
    )


def test_a_folder_without_logs(tmp_path: Path):
    assert "use agentlens.load_many" in refused(tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(TraceError, match="the folder holds no log"):
        load_many(tmp_path)


def test_a_truncated_last_line_costs_that_line(tmp_path: Path):
    path = tmp_path / "cut.jsonl"
    path.write_text(jsonl(rows(4))[:-20])
    trace = load(path)
    assert trace.tables["calls"]["round"] == [1, 2, 3]
    (note,) = trace.notes
    assert (note.kind, note.line) == ("damaged", 4)
    assert "cut off" in note.message


def test_invalid_json_at_line_7_of_lines_costs_that_line(tmp_path: Path):
    lines = jsonl(rows(9)).splitlines()
    lines[6] = lines[6].replace('"round": 7', '"round": seven')
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines) + "\n")
    trace = load(path)
    assert trace.tables["calls"]["round"] == [1, 2, 3, 4, 5, 6, 8, 9]
    (note,) = trace.notes
    assert (note.kind, note.line, note.count) == ("damaged", 7, 1)


def test_invalid_json_at_line_7_of_a_document_names_the_line(tmp_path: Path):
    record = {"id": "a", "model": "m", "messages": [{"role": "user", "content": "x"}] * 3}
    text = json.dumps(record, indent=1).splitlines()
    text[6] = text[6].replace('"', "", 1)
    path = tmp_path / "bad.json"
    path.write_text("\n".join(text))
    assert refused(path).startswith(f"{path}, line 7: is not valid JSON: ")


def test_a_damaged_first_line_costs_that_line(tmp_path: Path):
    path = tmp_path / "head.jsonl"
    path.write_text('nd": 1, "tool": "x"}\n' + jsonl(rows(3)))
    trace = load(path)
    assert len(trace) == 3
    assert trace.notes[0].line == 1


def test_a_truncated_array_keeps_what_came_before(tmp_path: Path):
    for indent in (None, 1):
        path = tmp_path / "cut.json"
        path.write_text(json.dumps(rows(5), indent=indent)[:-30])
        trace = load(path)
        assert len(trace) == 4
        assert "cut off after item 4" in trace.notes[0].message


def test_a_truncated_object_names_the_line(tmp_path: Path):
    path = tmp_path / "cut.json"
    path.write_text('{"messages": [{"role": "user"')
    assert refused(path) == f"{path}, line 1: the JSON ends in the middle of a value"


def test_an_unknown_format_says_what_was_seen_and_what_is_known(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text('{"alpha": 1, "beta": 2}')
    message = refused(path)
    assert "alpha, beta" in message
    assert ", ".join(FORMATS) in message
    assert "unknown format 'morse'" in refused(path, format="morse")
    assert "records are int" in refused([1, 2, 3])


@pytest.mark.parametrize("text", ["5", '"x"', "[]", "null", "{}"])
def test_json_that_is_no_log(text: str):
    assert refused(io.StringIO(text)).startswith("file object: ")


def test_other_encodings_and_line_ends(tmp_path: Path):
    text = jsonl([{**ROW, "args": {"query": "北京天气"}}, {**ROW, "round": 2}])
    for name, data in {
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "crlf": text.replace("\n", "\r\n").encode(),
        "utf16": text.encode("utf-16"),
        "zipped.jsonl": gzip.compress(text.encode()),
        "blank": text.replace("\n", "\n\n").encode() + b"\n\n",
        "nul": text.encode() + bytes(64),
    }.items():
        path = tmp_path / name
        path.write_bytes(data)
        trace = load(path)
        assert len(trace) == 2, name
        assert not trace.notes, name


def test_what_strict_json_refuses_is_repaired_and_told(tmp_path: Path):
    lines = [
        '{"round": 1, "tool": "a", "args": {"x": NaN}, "result": "r"}',
        '{"round": 2, "tool": "a", "args": {}, "result": "cut \\ud83d"}',
        '{"round": 3, "tool": "a", "args": {}, "result": "null \\u0000 byte"}',
    ]
    path = tmp_path / "odd.jsonl"
    path.write_bytes(
        "\n".join(lines).encode() + b'\n{"round": 4, "tool": "a", "result": "\xff\xfe"}\n'
    )
    trace = load(path)
    results = trace.tables["calls"]["result"]
    assert results[1] == "cut \ufffd"
    assert results[2] == "null \x00 byte"
    assert results[3] == "\ufffd\ufffd"
    (note,) = trace.notes
    assert (note.kind, note.count) == ("damaged", 3)
    assert len(trace.calls) == 4


def test_deep_nesting_is_damage_and_no_crash(tmp_path: Path):
    deep = '{"round": 1, "tool": "a", "args": ' + '{"x":' * 100_000 + "1" + "}" * 100_000 + "}"
    path = tmp_path / "deep.jsonl"
    path.write_text(deep + "\n" + jsonl(rows(2)))
    trace = load(path)
    assert len(trace) == 2
    assert "nested too deeply" in trace.notes[0].message
    path.write_text(deep)
    assert "nested too deeply" in refused(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"round": "1", "tool": "a"}, "item 2: 'round' must be a whole number, not '1'"),
        ({"round": 1.5, "tool": "a"}, "item 2: 'round' must be a whole number, not '1.5'"),
        ({"round": True, "tool": "a"}, "item 2: 'round' must be a whole number, not 'True'"),
        ({"round": 1, "tool": 7}, "item 2: 'tool' must be text, not '7'"),
        (
            {"round": 1, "tool": "a", "args": [1]},
            "item 2: 'args' must be an object or text, not '[1]'",
        ),
        (
            {"round": 1, "tool": "a", "error": "no"},
            "item 2: 'error' must be true or false, not 'no'",
        ),
        (
            {"round": 1, "tool": "a", "seconds": "7s"},
            "item 2: 'seconds' must be a number, not '7s'",
        ),
        ({"round": 1, "tool": "a", "seconds": -1}, "item 2: 'seconds' must not be negative"),
        ({"round": 1, "tool": "a", "started": "noon"}, "item 2: 'started' is no time: 'noon'"),
        ({"tool": "a", "args": {}}, "item 2: 'round' is missing"),
        ({"round": 2}, "item 2: 'tool' is missing (null for a message without a call)"),
        (5, "item 2: expected an object, found '5'"),
    ],
)
def test_a_wrong_value_in_the_plain_format_costs_its_row(row, message):
    trace = load([ROW, row, {**ROW, "round": 9}])
    assert trace.calls["round"].tolist() == [ROW["round"], 9]
    (note,) = trace.notes
    assert (note.kind, note.line, note.count) == ("damaged", 2, 1)
    assert note.message.endswith("; the row is left out")
    begins = "item 2: " + note.message.removesuffix("; the row is left out")
    assert message.startswith(begins)


def test_a_wrong_value_where_nothing_else_is_names_line_and_value(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    asked = {"role": "user", "content": "go"}
    path.write_text(jsonl([asked, {**ROW, "cost": "free"}, {**ROW, "cost": "none"}]))
    assert refused(path) == f"{path}, line 2: 'cost' must be a number, not 'free'"


def test_wrong_values_of_one_kind_are_counted_in_one_note(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_text(jsonl([ROW, *({**ROW, "round": f"no {n}"} for n in range(500)), ROW]))
    (note,) = load(path).notes
    assert str(note) == (
        "damaged: 'round' must be a whole number; the row is left out ×500 (first at line 2)"
    )


def test_nothing_else_is_taken():
    for odd in (5, None, b"bytes", object()):
        assert "expected a path" in refused(odd)
    assert refused([]) == "the list is empty"


#: Linux's ru_maxrss starts with what the parent held, and pytest holds a lot; VmHWM does not.
MEASURE = """
import pathlib, resource, sys
from agentlens.trace.load import load
trace = load(sys.argv[1])
status = pathlib.Path("/proc/self/status")
if status.exists():
    (peak,) = (int(x.split()[1]) * 1024 for x in status.open() if x.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(trace), peak)
"""


def test_a_huge_array_on_one_line_is_streamed(tmp_path: Path, count, root: Path):
    size = count(40_000_000, 200_000_000)
    path = tmp_path / "huge.json"
    row = {"role": "tool", "content": "0123456789abcdef " * 60}
    with path.open("w") as file:
        file.write('[{"role": "user", "content": "go"}')
        number = 0
        while file.tell() < size:
            number += 1
            function = {"name": "read", "arguments": json.dumps({"path": f"f{number}"})}
            call = {"id": f"c{number}", "type": "function", "function": function}
            file.write(
                ", " + json.dumps({"role": "assistant", "content": None, "tool_calls": [call]})
            )
            file.write(", " + json.dumps({**row, "tool_call_id": f"c{number}"}))
        file.write("]")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
    )
    calls, peak = map(int, done.stdout.split())
    assert calls == number
    assert peak < 6 * path.stat().st_size


@pytest.mark.parametrize(
    "tools",
    [
        {"w": ("search",)}, {"w": ("search", "q", "x")}, {"w": ("search", 3)}, {"w": 3},
        {"w": None}, {"w": ["search", "q"]}, {3: "search"}, {"w": "party"}, ["x"], [], "search", 0,
    ],
)  # fmt: skip
def test_what_is_said_of_tools_is_checked(tools):
    assert refused([ROW], tools=tools).startswith("tool")
    with pytest.raises(TraceError, match=r"^tool"):
        load([ROW]).with_tools(tools)
    with pytest.raises(TraceError, match=r"^tool"):
        load_many([[ROW]], tools=tools)


def test_file_objects_that_cannot_be_read(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(jsonl([ROW]))
    for mode in ("r", "rb"):
        with path.open(mode) as stream:
            pass
        assert "cannot read" in refused(stream)
        assert str(path) in refused(stream)
    for memory in (io.StringIO("[]"), io.BytesIO(b"[]")):
        memory.close()
        assert "cannot read" in refused(memory)
    for mode in ("w", "wb"):
        with (tmp_path / "out").open(mode) as stream:
            assert "cannot read" in refused(stream)

    class Odd:
        def read(self):
            return None

    assert "NoneType" in refused(Odd())


@pytest.mark.parametrize("nothing", [None, 3, 2.5, pytest.param(object(), id="object")], ids=repr)
def test_nothing_to_read_is_an_error(nothing):

    for reads in (load, load_many, al.scan):
        with pytest.raises(TraceError, match="cannot load a"):
            reads(nothing)


def test_a_fingerprint_of_anything():
    from agentlens.trace.frames import fingerprint

    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert len(fingerprint(deep)) == 16


def test_an_error_is_one_line_whatever_the_keys(tmp_path):
    path = tmp_path / "odd.json"
    path.write_text('{"resource\\nSpans": 1, "a\\r\\u2028b": 2}', "utf-8")
    assert len(refused(path).splitlines()) == 1


def test_a_number_that_json_cannot_hold_is_left_out_of_the_answer():

    calls = [
        {"round": n, "tool": "web_search", "args": {"query": "a b"}, "seconds": 1e308}
        for n in range(1, 9)
    ]
    made = al.replay(al.load(calls), "classic")
    json.dumps(made.to_dict(), allow_nan=False)
    assert made.to_dict()["trip"]["saved_seconds"] is None


def test_a_whole_number_beyond_all_is_taken_as_it_stands(tmp_path):
    span = {
        "traceId": "a", "spanId": "b", "name": "execute_tool search",
        "attributes": [
            {"key": "gen_ai.tool.name", "value": {"stringValue": "search"}},
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": 1e308}},
        ],
    }  # fmt: skip
    text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    path = tmp_path / "spans.json"
    path.write_text(text.replace("1e+308", "1e999"), "utf-8")
    assert len(load(path)) == 1
