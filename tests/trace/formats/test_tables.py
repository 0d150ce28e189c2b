"""A trace in Parquet and back: nothing is lost; a file that was tampered with is one error."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from agentlens.errors import TraceError
from agentlens.trace import samples
from agentlens.trace.formats.tables_write import to_parquet, write_parquet
from agentlens.trace.load import load, load_many
from tests.trace.round_trip import KEY, runs, tables

HERE = Path(__file__).parent
FILES = [*sorted((HERE / "examples").iterdir()), *sorted((HERE / "recorded").iterdir()),
         *sorted((HERE / "second").iterdir()),
         *(samples.path(name) for name in samples.names())]  # fmt: skip


def again(trace):
    return load(io.BytesIO(to_parquet(trace)))


def agrees(trace):
    back = again(trace)
    assert back.format == "tables"
    assert tables(back, ()) == tables(trace, ())
    assert back.notes == trace.notes
    assert back.tools == trace.tools
    for name in ("task", "session_id", "trace_id", "models", "labels", "outcome", "totals", "cwd"):
        assert getattr(back.meta, name) == getattr(trace.meta, name), name


@given(runs())
def test_any_plain_trace_survives(rows):
    agrees(load(rows))


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_every_format_survives(file: Path):
    for trace in load_many(file, progress=False):
        if trace.tables["rounds"]["round"]:
            agrees(trace)


def test_numbers_over_64_bits_and_what_was_said_of_tools():
    rows = [{"round": 1, "tool": "lookup", "args": {"term": "天气", "n": 2**70}, "tokens": 10**25,
             "seconds": 2**60 + 1}]  # fmt: skip
    trace = load(rows, tools={"lookup": ("search", "term")})
    back = again(trace)
    assert tables(back, ()) == tables(trace, ())
    assert back.tables["calls"]["queries"] == [("天气",)]
    assert load(io.BytesIO(to_parquet(trace)), tools={"lookup": "read"}).tables["calls"][
        "effect"
    ] == ["read"]


def test_other_tools_can_read_it():
    trace = load([{"round": 1, "tool": "f", "args": {"a": 1}, "seconds": 2.5}])
    frame = pq.read_table(io.BytesIO(to_parquet(trace))).to_pandas()
    calls = frame[frame["table"] == "calls"]
    assert calls[["tool", "args", "seconds"]].values.tolist() == [["f", '{"a": 1}', 2.5]]


def test_files_are_masked_unless_told_otherwise(tmp_path: Path):
    trace = load([{"round": 1, "tool": "f", "args": {"a": KEY}, "result": KEY}])
    calls = load(write_parquet(trace, tmp_path / "a.parquet")).tables["calls"]
    assert (calls["result"], calls["args"]) == (["<api-key:1>"], [{"a": "<api-key:1>"}])
    kept = load(write_parquet(trace, tmp_path / "b.parquet", redact=False))
    assert kept.tables["calls"]["result"] == [KEY]


def tampered(change):
    table = pq.read_table(io.BytesIO(to_parquet(load(samples.path("atif_subagent_loop")))))
    about = json.loads(table.schema.metadata[b"agentlens"])
    columns = table.to_pydict()
    change(columns, about)
    out = io.BytesIO()
    made = pa.table(columns).replace_schema_metadata({b"agentlens": json.dumps(about).encode()})
    pq.write_table(made, out)
    out.seek(0)
    return out


def of(table, columns, name, value):
    row = columns["table"].index(table)
    columns[name][row] = value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c, a: of("calls", c, "round_row", 99), "belongs to no round"),
        (lambda c, a: of("calls", c, "thread", "other"), "belongs to no round"),
        (lambda c, a: of("events", c, "after_row", -7), "stands after no round"),
        (lambda c, a: of("calls", c, "tool", None), "has an empty cell"),
        (lambda c, a: c.update(seconds=["x"] * len(c["table"])), "must hold numbers"),
        (lambda c, a: c.update(args=["{"] * len(c["table"])), "not a sound Parquet file"),
        (lambda c, a: c.update(table=["what"] * len(c["table"])), "not a sound Parquet file"),
        (lambda c, a: c.pop("round"), "has an empty cell"),
        (lambda c, a: a.update(version=9), "tables of version 1"),
        (lambda c, a: a.update(as_text=5), "not a sound Parquet file"),
    ],
)
def test_a_file_that_was_tampered_with_is_one_error(change, said):
    with pytest.raises(TraceError, match=said) as error:
        load(tampered(change))
    assert "\n" not in str(error.value)


def test_odd_facts_of_the_run_do_no_harm():
    odd = {"meta": 5, "notes": [5, {}], "tools": {"a": 5, "b": ["search", 3]}}
    assert len(load(tampered(lambda c, a: a.update(odd)))) == 5


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path):
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from agentlens.cli import main\n"
        f"sys.exit(main(['convert', {str(samples.path('incident'))!r}, '--to', 'parquet',"
        f" '-o', {str(tmp_path / 'x.parquet')!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "agentlens: Parquet needs the package pyarrow: pip install 'agentlens-jupyter[parquet]'\n"
    )
