"""The table of formats is true: what a reader is said to hold, and what it was tested against."""

from __future__ import annotations

import importlib.util
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from agentlens.trace import samples
from agentlens.trace.formats import FORMATS
from agentlens.trace.formats import about as about_module
from agentlens.trace.formats.about import AMOUNTS, about, held_by
from agentlens.trace.load import load_many

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE / "examples").iterdir())
RECORDED = sorted((HERE / "recorded").iterdir())
SAMPLES = [samples.path(name) for name in samples.names()]


def traces(files):
    for file in files:
        for trace in load_many(file, progress=False):
            yield file, trace


def test_every_registered_format_and_no_other_has_an_entry():
    facts = tomllib.loads(Path(about_module.__file__).with_name("formats.toml").read_text("utf-8"))
    assert facts.keys() == set(FORMATS) == about().keys()
    assert list(about()) == sorted(FORMATS)
    for name, fact in facts.items():
        assert set(fact) <= {"by", "holds", "real", "example"}, name
        assert fact["holds"] == [a for a in AMOUNTS if a in fact["holds"]], name


def test_what_a_reader_is_said_to_hold_a_file_of_the_tests_holds():
    held = defaultdict(set)
    for _, trace in traces([*EXAMPLES, *RECORDED, *SAMPLES]):
        held[trace.format] |= held_by(trace)
    for name, facts in about().items():
        assert held[name] == set(facts.holds), name


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_told_by_its_shape(file: Path):
    assert {trace.format for _, trace in traces([file])} == {file.stem}


def test_every_format_has_what_it_was_tested_against():
    assert {n for n, facts in about().items() if facts.example} == {p.stem for p in EXAMPLES}
    sampled = {trace.format for _, trace in traces(SAMPLES)}
    for name, facts in about().items():
        assert facts.real or facts.recorded or facts.example or name in sampled, name


def test_the_libraries_are_those_of_the_recorders_table():
    path = HERE.parents[2] / "docs" / "make_tables.py"
    spec = importlib.util.spec_from_file_location("make_tables", path)
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    kept = Path(about_module.__file__).with_name("recorded.toml").read_text("utf-8")
    assert kept == tables.recorded(), "run docs/make_tables.py"


@pytest.mark.shared
def test_as_many_real_files_are_read_as_is_said(shared: Path):
    found = defaultdict(set)
    for trace in load_many(shared / "data" / "traces", progress=False):
        found[trace.format].add((trace.meta.source or "").split("#")[0])
    assert {n: len(files) for n, files in found.items()} == {
        name: facts.real for name, facts in about().items() if facts.real
    }
