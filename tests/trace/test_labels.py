"""Labels: what traces say of themselves, and what a file, a function or a hand says instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentlens as al
from agentlens.trace.labels import Label, label_of, labeller

ROW = {"round": 1, "tool": "web_search", "args": {"query": "weather"}, "result": "x"}


def record(**about: Any) -> dict[str, Any]:
    return {**about, "trace": [ROW]}


@pytest.mark.parametrize(
    ("about", "label", "onset"),
    [
        ({"truth": "loop", "onset": 3}, "loop", 3),
        ({"truth": "progress"}, "good", None),
        ({"truth": "wait"}, "good", None),
        ({"truth": "debatable"}, "unknown", None),
        ({"label": "LOOP"}, "loop", None),
        ({"label": "whatever"}, "unknown", None),
        ({}, "unknown", None),
    ],
)
def test_a_record_says_what_it_is(about, label, onset):
    found = label_of(al.load(record(**about)))
    assert (found.label, found.onset) == (label, onset)


def test_rewards_say_good_and_when_solved():
    history = {"actions": ["ls", "cat a", "cat b"], "observations": ["a", "", ""],
               "rewards": [0.2, 1, 1], "valid_action": [True] * 3}  # fmt: skip
    log = {"environment": "bash", "query": "find it", "turn_history": history,
           "summary": {"max_reward": 1, "turns_taken": 3, "turns_max": 10}}  # fmt: skip
    assert label_of(al.load(log)) == Label("good", None, "find it", 2, "outcome")
    log["summary"]["max_reward"] = 0.5
    assert label_of(al.load(log)).label == "unknown", "most failures are no loops"


def test_the_task_is_the_first_user_message_where_no_other_is_named():
    rows = [{"role": "user", "text": "how  warm\nis it"}, ROW]
    assert label_of(al.load(rows)).task == "how warm is it"
    assert label_of(al.load([ROW])).task is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.json").write_text(f'[{{"round": 1, "tool": "{name}"}}]')
    return tmp_path


def test_a_file_labels_by_name_or_path(folder: Path, tmp_path: Path):
    table = folder.parent / "labels.csv"
    table.write_text(f"label,onset,trace,task\nloop,2,{folder / 'a.json'},t1\nGood,,b.json,\n")
    corpus = al.load_many(str(folder / "*.json")).with_labels(table)
    assert corpus.labels == ("loop", "good", "unknown")
    assert corpus.marks[0] == Label("loop", 2, "t1", None, "csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,label\n", "line 1: expected a CSV file with columns trace and label"),
        ("trace,label\na,good\nb,bad\n", "line 3: label 'bad' is not good, loop, unknown"),
        ("trace,label,onset\na,loop,soon\n", "line 2: onset 'soon' is not a round's number"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path: Path, text: str, said: str):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(al.TraceError) as caught:
        labeller(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(al.TraceError):
        labeller(tmp_path / "none.csv")


def test_a_function_and_a_mapping_label(folder: Path):
    corpus = al.load_many(str(folder / "*.json"))
    tools = {"a": "good", "b": "loop", "c": None}
    named = corpus.with_labels(lambda trace: tools[trace.tables["calls"]["tool"][0]])
    assert named.labels == ("good", "loop", "unknown")
    assert corpus.with_labels({"c.json": "loop"}).labels == ("unknown", "unknown", "loop")


def test_what_is_saved_is_read_again(folder: Path, tmp_path: Path):
    corpus = al.load_many(str(folder / "*.json")).with_labels(
        [Label("loop", 1, 'a "task",\nof two lines'), "good", "unknown"]
    )
    path = folder.parent / "saved.csv"
    corpus.save_labels(path)
    again = al.load_many(str(folder / "*.json")).with_labels(path)
    assert again.labels == corpus.labels
    assert [(m.onset, m.task) for m in again.marks] == [(m.onset, m.task) for m in corpus.marks]


def test_a_lazy_corpus_is_read_once_for_its_labels(folder: Path):
    read = []

    def traces(failures):
        for name in "abc":
            read.append(name)
            yield al.load(folder / f"{name}.json")

    corpus = al.Corpus(traces, labels=["good", "loop", "good"])
    assert read == []
    assert [label.label for _, label in corpus.labelled()] == ["good", "loop", "good"]
    assert corpus.labels == ("good", "loop", "good")
    assert read == ["a", "b", "c"]
    with pytest.raises(ValueError, match="1 labels for more traces"):
        list(corpus.with_labels(["good"]).labelled())


def test_onsets_belong_to_loops():
    trace = al.load(record(truth="loop", onset=3))
    assert al.Corpus([trace], labels=["good"]).marks[0].onset is None
    assert al.Corpus([trace], labels=["loop"]).marks[0].onset == 3
