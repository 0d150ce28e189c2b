"""Which format a document is in, which others fit as well, and what a user says instead."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentlens.errors import TraceError
from agentlens.trace import sniff
from agentlens.trace.formats import FORMATS, get
from agentlens.trace.load import load, load_many
from agentlens.trace.source import open_document

EXAMPLES = Path(__file__).parent / "formats" / "examples"
CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


def detect(scores, monkeypatch, name=None):
    """Return what is detected where formats fit as `scores` say."""
    made = {
        each: SimpleNamespace(NAME=each, sniff=lambda head, each=each: scores.get(each, 0.0))
        for each in FORMATS
    }
    monkeypatch.setattr(sniff, "get", made.__getitem__)
    found, remark = sniff.detect(open_document([{"a": 1}]), name)
    return found.NAME, remark


def test_the_best_fit_wins_and_of_equals_the_most_specific(monkeypatch):
    assert detect({"openai": 0.9, "codex": 0.5}, monkeypatch) == ("openai", None)
    name, remark = detect({"openai": 0.9, "codex": 0.9}, monkeypatch)
    assert name == "codex"
    assert remark == "read as codex; it also fits openai (choose with format=)"


def test_every_format_that_fits_almost_as_well_is_named(monkeypatch):
    scores = {"openai": 0.9, "codex": 0.86, "plain": 0.95, "gemini": 0.8}
    name, remark = detect(scores, monkeypatch)
    assert name == "plain"
    assert "it also fits openai (" in remark
    assert detect({"plain": 0.9, "openai": 0.84}, monkeypatch)[1] is None


def test_a_file_that_two_formats_fit_says_so_in_its_notes(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    for trace in (load(path), *load_many([path], progress=False)):
        told = [note for note in trace.notes if note.kind == "info"]
        assert [note.message for note in told] == [
            "read as openai; it also fits anthropic (choose with format=)"
        ]


def test_a_format_that_is_named_overrides_and_is_not_remarked_on():
    trace = load(CHAT, format="anthropic")
    assert (trace.format, trace.notes) == ("anthropic", ())
    assert load(CHAT, format="openai").notes == ()


@pytest.mark.parametrize("use", [load, lambda s, **k: list(load_many([s], progress=False, **k))])
def test_a_name_that_is_none_lists_the_names(use, tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    with pytest.raises(TraceError, match="unknown format 'opneai'") as caught:
        load(path, format="opneai")
    assert str(caught.value).endswith("the formats are " + ", ".join(FORMATS))


@pytest.mark.parametrize("name", FORMATS)
def test_a_named_format_that_does_not_fit_is_an_error_of_one_line(name):
    with pytest.raises(TraceError) as caught:
        load(3 * [{"alpha": 1}], format=name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_no_other_format_claims_what_is_told_by_its_shape(file):
    with closing(open_document(file)) as document:
        scores = {name: float(get(name).sniff(document.head)) for name in FORMATS}
    own = scores.pop(file.stem)
    assert 0 < own <= 1
    assert all(0 <= score <= 1 for score in scores.values())
    rivals = {name for name, score in scores.items() if score > own}
    assert not rivals
