"""Every writer leaves the old file whole where writing fails midway, and nothing beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import agentlens as al
from agentlens.breaker.task.checkpoint import Checkpoint
from agentlens.cli import main
from agentlens.trace.labels import Label, write_labels

ROWS = [
    {"round": n, "tool": "web_search", "args": {"query": f"天气 {n}"}, "result": "晴" * 40}
    for n in range(1, 6)
]


def guard() -> al.Guard:
    made = al.Guard("classic")
    for row in ROWS:
        made.before([{"tool": row["tool"], "args": row["args"]}])
        made.after([{"result": row["result"]}])
    return made


def convert(path: Path) -> int:
    source = path.parent.parent / "source.json"
    if not source.exists():
        source.write_text(json.dumps(ROWS), "utf-8")
    return main(["convert", str(source), "--to", "atif", "-o", str(path)])


def labels(path: Path) -> None:
    runs = [al.load(ROWS) for _ in range(9)]
    al.Corpus(runs, labels=["good"] * 9).save_labels(path)


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "labels": ("labels.csv", labels),
    "policy": ("policy.toml", lambda path: al.Policy().to_toml(path)),
    "guard": ("run.jsonl", lambda path: guard().save(path)),
    "atif": ("run.json", lambda path: al.write_atif(al.load(ROWS), path)),
    "plain": ("plain.jsonl", lambda path: al.write_plain(al.load(ROWS), path)),
    "parquet": ("run.parquet", lambda path: al.write_parquet(al.load(ROWS), path)),
    "convert": ("run.json", convert),
    "checkpoint": ("task.json", lambda path: Checkpoint(results=(ROWS,)).write(path)),
    "report": ("report.html", lambda path: al.report(al.load(ROWS), path)),
}


@pytest.fixture(params=WRITERS)
def writer(request, tmp_path: Path) -> tuple[Path, Callable[[Path], object]]:
    """Return a writer, and a path in a folder of its own."""
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    name, write = WRITERS[request.param]
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder / name, write


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let files grow to so many bytes only."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fails(write: Callable[[Path], object], path: Path, capsys) -> None:
    """Expect one line that names the file, however the writer says it."""
    if write is convert:
        capsys.readouterr()
        assert write(path) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"agentlens: {path}: ")
        assert said.count("\n") == 1
        return
    with pytest.raises((OSError, al.TraceError)) as caught:
        write(path)
    assert str(path) in str(caught.value)
    assert ".tmp" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_full_disk_leaves_the_old_file_whole(writer, capsys):
    path, write = writer
    write(path)  # whatever is imported when it is first used is imported now
    assert path.stat().st_size > 100
    path.write_bytes(b"the old one")
    with full_disk(100):
        fails(write, path, capsys)
    assert path.read_bytes() == b"the old one"
    path.unlink()
    with full_disk(100):
        fails(write, path, capsys)
    assert list(path.parent.iterdir()) == []


def test_an_interrupt_leaves_the_old_file_whole(writer, monkeypatch: pytest.MonkeyPatch):
    path, write = writer
    write(path)
    path.write_bytes(b"the old one")
    reached = []

    def interrupted(new, target):
        reached.append(Path(new).read_bytes())
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    if write is convert:
        assert write(path) == 130
    else:
        with pytest.raises(KeyboardInterrupt):
            write(path)
    assert len(reached) == 1
    assert len(reached[0]) > 100
    assert path.read_bytes() == b"the old one"
    assert list(path.parent.iterdir()) == [path]


def test_a_run_that_cannot_be_read_costs_no_labels(tmp_path: Path):
    def rows():
        yield al.load(ROWS), Label("good")
        raise al.TraceError("cannot be read")

    path = tmp_path / "labels.csv"
    path.write_text("by hand")
    with pytest.raises(al.TraceError):
        write_labels(path, rows())
    assert path.read_text() == "by hand"


def test_a_guard_that_saves_over_its_own_record_goes_on_recording(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    live = al.Guard("classic", record=path)
    for row in ROWS:
        live.before([{"tool": row["tool"], "args": row["args"]}])
        live.after([{"result": row["result"]}])
        live.save(path)
    live.close()
    assert [call["query"] for call in al.load(path).tables["calls"]["args"]] == [
        row["args"]["query"] for row in ROWS
    ]
    live.save(path)
    assert len(al.load(path)) == 5
