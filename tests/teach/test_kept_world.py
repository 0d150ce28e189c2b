"""The made-up runs that come with agentlens: the file holds what the script makes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import agentlens as al
from agentlens.teach import kept_world
from agentlens.teach.kept_world import PATH, RUNS, SEED, kept_corpus, write_world
from agentlens.teach.world import corpus


def same(one: al.Corpus, other: al.Corpus) -> bool:
    """Say whether two corpora hold the same runs and labels, wherever the labels come from."""
    pairs = list(zip(one.labelled(), other.labelled(), strict=True))
    return all(
        a.tables == b.tables and a.meta.trace_id == b.meta.trace_id
        and replace(la, source="") == replace(lb, source="")
        for (a, la), (b, lb) in pairs
    )  # fmt: skip


def test_the_file_holds_what_the_seed_makes():
    assert RUNS >= 300
    assert PATH.stat().st_size < 100_000
    assert same(kept_corpus(), corpus(RUNS, SEED))


def test_writing_it_again_writes_the_same_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert write_world(tmp_path / "again.parquet") > 0
    assert parquet.read_table(tmp_path / "again.parquet").equals(parquet.read_table(PATH))


def test_any_reader_of_many_reads_it():
    found = al.load_many(PATH, progress=False)
    assert found.count() == RUNS
    assert not found.failures
    assert found.labels == kept_corpus().labels


def test_without_pyarrow_the_same_runs_are_made(monkeypatch):
    kept = kept_corpus()
    monkeypatch.setattr(kept_world, "find_spec", lambda _: None)
    assert same(kept_corpus(), kept)
