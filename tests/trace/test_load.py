"""`load` and `load_many`: what they take, what they say."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from agentlens.errors import TraceError
from agentlens.trace.corpus import Corpus
from agentlens.trace.load import load, load_many

ROW = {
    "round": 1,
    "tool": "web_search",
    "args": {"query": "weather"},
    "result": "r",
    "error": False,
}
CHAT = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]


def text(*items) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def test_every_kind_of_source_gives_the_same_trace(tmp_path: Path):
    items = [ROW, {**ROW, "round": 2}]
    path = tmp_path / "a.jsonl"
    path.write_text(text(*items))
    sources = [
        items,
        path,
        str(path),
        f"file://{path}",
        io.StringIO(text(*items)),
        io.BytesIO(text(*items).encode()),
        io.StringIO(json.dumps(items)),
        path.open("rb"),
        pd.DataFrame(items),
        tuple(items),
    ]
    for source in sources:
        trace = load(source)
        assert trace.tables["calls"]["query"] == ["weather", "weather"]
        assert trace.tables["calls"]["round"] == [1, 2]
    sources[7].close()


def test_fsspec_urls():
    import fsspec

    with fsspec.open("memory://logs/a.jsonl", "wt") as file:
        file.write(text(ROW))
    with fsspec.open("memory://logs/b.jsonl.gz", "wt", compression="gzip") as file:
        file.write(text(ROW))
    assert len(load("memory://logs/a.jsonl")) == 1
    assert len(load("memory://logs/b.jsonl.gz")) == 1
    assert [len(t) for t in load_many("memory://logs/*.jsonl*")] == [1, 1]
    with pytest.raises(TraceError, match="cannot open"):
        load("memory://logs/none.jsonl")


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.jsonl").write_text(text(ROW))
    assert len(load("~/a.jsonl")) == 1
    assert load_many("~").count() == 1
    assert load_many("~/*.jsonl").count() == 1


def test_a_frame_of_calls_comes_back(tmp_path: Path):
    items = [
        {"role": "user", "text": "go"},
        {
            "round": 1,
            "tool": "a",
            "args": {"x": 1},
            "result": "r",
            "error": True,
            "seconds": 2.0,
            "started": 100,
        },
        {"round": 1, "tool": "b", "args": {}, "result": "s", "error": False, "thread": "sub"},
        {"round": 2, "tool": "a", "args": "free text"},
    ]
    first = load(items)
    again = load(first.calls)
    for column in (
        "thread",
        "round",
        "tool",
        "args",
        "args_raw",
        "result",
        "status",
        "seconds",
        "started",
    ):
        assert again.tables["calls"][column] == first.tables["calls"][column], column


def test_tools_can_be_told():
    lookup = [{"round": 1, "tool": "lookup", "args": {"word": "weather", "lang": "en"}}]
    assert load(lookup).tables["calls"]["effect"] == ["read"]
    told = load(lookup, tools={"lookup": ("search", "word")})
    assert told.tables["calls"]["effect"] == ["search"]
    assert told.tables["calls"]["queries"] == [("weather",)]
    with pytest.raises(TraceError, match="none of search"):
        load(lookup, tools={"lookup": "seek"})


def test_what_was_told_of_tools_stays_when_more_is_told():
    rows = [
        {"round": 1, "tool": "lookup", "args": {"word": "weather", "lang": "en"}},
        {"round": 2, "tool": "frobnicate", "args": {"query": "rain"}},
    ]
    told = load(rows, tools={"lookup": ("search", "word")})
    more = told.with_tools({"frobnicate": "search"})
    assert more.tables["calls"]["queries"] == [("weather",), ("rain",)]
    assert more.tools == {"lookup": ("search", "word"), "frobnicate": "search"}
    less = more.with_tools({"lookup": "read"})
    assert less.tables["calls"]["effect"] == ["read", "search"]
    assert told.tools == {"lookup": ("search", "word")}, "a trace never changes"
    assert load(rows).tools == {}


def test_a_file_of_many_says_how_many(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_text(text(*({"id": f"t{n}", "trace": [ROW]} for n in range(7))))
    with pytest.raises(TraceError, match=r"holds 7 traces; use agentlens.load_many"):
        load(path)
    corpus = load_many(path)
    assert corpus.count() == 7
    assert [t.meta.trace_id for t in corpus] == [f"t{n}" for n in range(7)]
    assert corpus[3].meta.source == f"{path}#t3"
    assert corpus[-1].name == "many.jsonl#t6"
    with pytest.raises(IndexError):
        corpus[7]


def test_one_bad_trace_of_many_is_a_failure_and_not_fatal(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    bad = {"id": "bad", "trace": [{**ROW, "round": "x"}]}
    path.write_text(text({"id": "a", "trace": [ROW]}, bad, {"id": "c", "trace": [ROW]}))
    corpus = load_many(path)
    assert [t.meta.trace_id for t in corpus] == ["a", "c"]
    ((where, why),) = corpus.failures
    assert where == f"{path}#bad"
    assert "'round' must be" in why


def test_one_bad_file_raises_and_one_of_a_folder_does_not(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.jsonl").write_text(text(ROW))
    (tmp_path / "sub" / "b.json").write_text(json.dumps(CHAT))
    (tmp_path / "bad.json").write_text("{oops")
    (tmp_path / "notes.txt").write_text("not a log")
    corpus = load_many(tmp_path)
    assert sorted(t.format for t in corpus) == ["openai", "plain"]
    assert [Path(where).name for where, _ in corpus.failures] == ["bad.json"]
    alone = load_many(tmp_path / "bad.json")
    with pytest.raises(TraceError, match="line 1"):
        list(alone)
    with pytest.raises(TraceError, match="no such file or folder"):
        load_many(tmp_path / "nowhere")
    with pytest.raises(TraceError, match="no file matches"):
        load_many(tmp_path / "*.xyz")


def test_lists_mix_files_and_objects(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(text(ROW))
    corpus = load_many([path, [ROW], "/nowhere.jsonl"])
    assert [len(t) for t in corpus] == [1, 1]
    assert corpus.failures[0][0] == "/nowhere.jsonl"


def test_a_corpus_is_lazy_and_can_be_read_again(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(text(ROW))
    corpus = load_many(tmp_path)
    first = iter(corpus)
    next(first)
    path.write_text(text(ROW, ROW))
    assert [len(t) for t in corpus] == [2]
    assert corpus.labels == ("unknown",)


def test_labels():
    trace = load([ROW])
    corpus = Corpus([trace, trace], labels=["good", "loop"])
    assert corpus.labels == ("good", "loop")
    assert corpus.count() == 2
    assert corpus[1] is trace
    with pytest.raises(ValueError, match="none of good, loop, unknown"):
        Corpus([trace], labels=["bad"])
    with pytest.raises(ValueError, match="2 labels for 1 traces"):
        Corpus([trace], labels=["good", "loop"])


def test_two_formats_that_fit_are_both_named():
    trace = load(CHAT)
    assert trace.format == "openai"
    (note,) = trace.notes
    assert "it also fits anthropic" in note.message
    assert load(CHAT, format="anthropic").format == "anthropic"


def test_a_bar_is_shown_only_to_someone_who_watches(capsys, monkeypatch):
    from agentlens.trace import progress_bar as bar

    assert bar.progress_bar(list(range(100)), wanted=True) == list(range(100))
    monkeypatch.setattr(bar, "_watched", lambda: True)
    assert bar.progress_bar([1, 2], wanted=True) == [1, 2]
    assert bar.progress_bar(list(range(100)), wanted=False) == list(range(100))
    assert list(bar.progress_bar(list(range(100)), wanted=True)) == list(range(100))
    assert "100" in capsys.readouterr().err


def test_a_stream_of_many_is_a_corpus_that_is_iterated_as_often_as_wanted():
    import io

    record = '{"trace": [{"round": 1, "tool": "web_search", "args": {"query": "a"}}]}\n'
    for stream in (io.StringIO(record * 2), io.BytesIO(record.encode() * 2)):
        corpus = load_many(stream)
        assert [len(t) for t in corpus] == [1, 1]
        assert len(list(corpus)) == 2


def test_a_list_of_a_lazy_corpus_reads_each_file_once(tmp_path, monkeypatch):
    from agentlens.trace import load as module

    for name in "ab":
        (tmp_path / f"{name}.json").write_text('[{"round": 1, "tool": "web_search"}]')
    opened = []
    real = module.open_document
    monkeypatch.setattr(module, "open_document", lambda s: opened.append(s) or real(s))
    corpus = load_many(tmp_path)
    assert len(list(corpus)) == 2
    assert len(opened) == 2
    assert len(corpus) == 2  # known once it was iterated


def test_addresses_inside_an_archive(tmp_path: Path):
    archive = tmp_path / "runs.zip"
    line = json.dumps({"round": 1, "tool": "web_search", "args": {"query": "天气"}})
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("in/a.jsonl", line)
        made.writestr("in/b.json", json.dumps([{"role": "user", "content": "q"}]))
        made.writestr("in/readme.txt", "no log")
        made.writestr("in/bad.json", "{oops")
    assert len(load(f"zip://in/a.jsonl::{archive}")) == 1
    for address in (f"zip://::{archive}", f"zip://in::{archive}", f"zip://in/*.json*::{archive}"):
        corpus = load_many(address, progress=False)
        assert [trace.format for trace in corpus] == ["plain", "openai"]
        ((name, error),) = corpus.failures
        assert name == f"zip://in/bad.json::{archive}"
        assert "line 1" in error
    with pytest.raises(TraceError, match="cannot open"):
        load(f"zip://nosuch.json::{archive}")
