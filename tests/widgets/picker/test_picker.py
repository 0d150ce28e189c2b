"""The picker without a page: what it sends, reads back, exports and leaves in a saved notebook."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import agentlens as al
from agentlens.teach import world
from agentlens.thresholds.stop_table import same_action
from agentlens.widgets.exports import guard_code, host_config
from agentlens.widgets.picker.still import PICKER_WORDS


@pytest.fixture(scope="module")
def runs() -> al.Corpus:
    return world.corpus(90)


@pytest.fixture
def picker(runs) -> al.Picker:
    return al.Picker(runs, "classic")


def test_the_cells_are_those_of_the_surface(picker):
    payload = picker.view.payload
    for k, line in enumerate(payload["grid"], 1):
        for (p, q), cell in zip(payload["columns"], line, strict=True):
            counts = picker.surface.at(Fraction(p, q), k)
            assert cell[:3] == [counts["stopped_good_tasks"], counts["harmful_tasks"],
                                counts["stopped_loop_tasks"]]  # fmt: skip
            assert cell[3] == round(counts["saved_rounds"])


def test_each_run_is_where_a_replay_stops_it(picker, runs):
    payload = picker.view.payload
    for column in (0, len(payload["columns"]) // 2, len(payload["columns"]) - 1):
        for k in (1, 2, 3):
            picker.view.cell = [column, k]
            for trace, run in zip(runs, payload["runs"], strict=True):
                state = next(s for s in run["s"][k - 1] if column <= s[0])
                trip = al.replay(trace, picker.policy).trip
                assert state[1] == (trip.round if trip else 0)


def test_the_policy_reads_back_and_can_be_set(picker):
    assert picker.policy == al.Policy.preset("classic")
    picker.policy = al.Policy.preset("classic", similarity="5/6", threshold=3)
    assert (str(picker.policy.similarity), picker.policy.threshold) == ("5/6", 3)
    assert picker.view.cell[1] == 3
    picker.policy = al.Policy.preset("classic", measure="jaccard")
    assert picker.surface.policy.measure == "jaccard"


def test_labels_by_hand_count_anew_and_are_saved(picker, runs, tmp_path: Path):
    good = picker.view.payload["good"]
    place = runs.labels.index("good")
    picker._told(None, {"type": "label", "run": place, "label": "unknown"}, None)
    assert picker.view.payload["good"] == good - 1
    picker._told(None, {"type": "label", "run": place, "label": "nonsense"}, None)
    assert "none of good, loop, unknown" in picker.message.value
    picker.save_labels(tmp_path / "labels.csv")
    again = runs.with_labels(tmp_path / "labels.csv")
    assert again.labels == picker.corpus.labels


def test_a_run_opens_in_the_lens_with_the_policy(picker, runs):
    picker.view.opened = 3
    assert picker.lens.trace is runs[3]
    picker.view.cell = [0, 1]
    assert picker.lens.policy == picker.policy
    picker.close()


def test_a_saved_notebook_shows_it_without_code(picker):
    bundle = picker._repr_mimebundle_()
    assert "would have stopped" in bundle["text/plain"]
    assert not re.search(r"<script|\son\w+=|https?://", bundle["text/html"])
    assert "<table" in bundle["text/html"]
    assert len(bundle["text/html"]) < 60_000


def test_few_runs_say_so_and_none_say_how_to_label(runs):
    few = al.Picker(al.Corpus([runs[0]], labels=["good"]), "classic")
    assert "n = 1 labelled runs: bands are wide" in repr(few)
    assert "needs 45 good runs, has 1" in few.view.promise
    none = al.Picker(al.Corpus([runs[0]], labels=["unknown"]), "classic", lang="zh")
    assert repr(none).startswith("尚无带标签的运行")
    al.Picker(al.Corpus([]), "classic")._repr_mimebundle_()


def test_the_promise_is_that_of_choose(runs):
    picker = al.Picker(runs, "classic", max_false_stops=0.3)
    choice = al.choose(runs, "classic", max_false_stops=0.3)
    assert choice.policy is not None
    assert f"similarity {choice.policy.similarity} at threshold 2" in picker.view.promise


def test_both_languages_say_the_same():
    holes = {
        lang: {k: sorted(re.findall(r"\{\w+\}", v)) for k, v in words.items()}
        for lang, words in PICKER_WORDS.items()
    }
    assert holes["en"] == holes["zh"]


def test_guard_code_runs(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(guard_code(al.Policy.preset("classic", threshold=3)), names)
    assert names["guard"].policy.threshold == 3
    assert names["decision"].action == "proceed"


def budget(of: str, stop: int) -> al.Policy:
    rules = [{"name": "cap", "family": "budget", "of": of, "stop": stop}]
    return al.Policy.preset("classic", query=False, rules=rules)


def test_hosts_get_what_they_can_express():
    """The keys as each agent's own schema has them; see docs/picking.md for versions."""
    claw = json.loads(host_config(same_action(4), "openclaw-2026.3"))["tools"]["loopDetection"]
    assert claw["warningThreshold"] < claw["criticalThreshold"]  # or it refuses the file
    assert claw["criticalThreshold"] < claw["globalCircuitBreakerThreshold"] == 4
    assert claw["historySize"] >= 4
    hands: dict = {}
    exec(host_config(same_action(4), "openhands-sdk"), hands)
    assert hands["stuck_detection_thresholds"] == {"action_observation": 4, "action_error": 4}
    lines = host_config(same_action(4), "deerflow").splitlines()[1:]
    assert lines[0] == "loop_detection:"
    flow = dict(line.strip().split(": ") for line in lines[1:])
    assert flow["enabled"] == "true"
    assert int(flow["warn_threshold"]) <= int(flow["hard_limit"]) == 4  # or it refuses the file
    assert json.loads(host_config(budget("calls", 80), "qwen-code")) == {
        "model": {"maxToolCallsPerTurn": 80}
    }
    assert "max_iteration_per_run = 60" in host_config(budget("rounds", 60), "openhands-sdk")


@pytest.mark.parametrize(
    ("policy", "host", "why"),
    [
        (al.Policy.preset("classic"), "deerflow", "use guard_code"),
        (budget("calls", 80), "deerflow", "use guard_code"),
        (same_action(2), "openclaw-2026.3", "three is the least"),
        (same_action(11), "openhands-sdk", "never reached"),
        (same_action(4), "openclaw", "refuses a file that sets them"),
        (same_action(4), "gemini-cli", "constants"),
        (same_action(4), "qwen-code", "constants"),
        (same_action(4), "openhands", "constants"),
        (same_action(4), "nobody", "no host"),
    ],
)  # fmt: skip
def test_what_a_host_cannot_express_is_said(policy: al.Policy, host: str, why: str):
    with pytest.raises(al.PolicyError, match=why):
        host_config(policy, host)
