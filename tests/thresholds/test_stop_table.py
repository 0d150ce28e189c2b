"""Stopping at the same action so often in a row, on InterCode: counted here by other means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentlens as al
from agentlens.thresholds.stop_table import same_action, stop_table

#: Times in a row: runs stopped, of these with a reward of 1 later, turns after it in the others.
KNOWN = {2: (759, 17, 3788), 3: (561, 5, 2405), 4: (460, 1, 1753), 5: (410, 1, 1273)}


def counted(folder: Path, times: int) -> tuple[int, int, int]:
    """Count from the files themselves: actions stripped of outer white space, rewards, turns."""
    stopped = good = turns = 0
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        holder = document["logs"] if isinstance(document.get("logs"), dict) else document
        for record in holder.values():
            history = record.get("turn_history") if isinstance(record, dict) else None
            if history is None:
                continue
            actions = [str(action).strip() for action in history["actions"]]
            rewards = history.get("rewards") or []
            for at in range(times - 1, len(actions)):
                if len(set(actions[at - times + 1 : at + 1])) == 1:
                    stopped += 1
                    if any(r is not None and r >= 1 for r in rewards[at + 1 :]):
                        good += 1
                    else:
                        turns += len(actions) - at - 1
                    break
    return stopped, good, turns


@pytest.mark.shared
def test_the_table_is_that_of_the_files(shared: Path) -> None:
    folder = shared / "data" / "traces" / "labelled" / "intercode"
    table = stop_table(al.load_many(folder, workers=1), [same_action(n) for n in KNOWN])
    assert set(table["runs"]) == {2135}
    columns = ["stopped", "later_good", "rounds_after"]
    for row, (times, known) in zip(
        table[columns].itertuples(index=False), KNOWN.items(), strict=True
    ):
        assert counted(folder, times) == known
        assert tuple(row) == known


def test_without_rewards_what_a_good_run_would_have_lost_counts() -> None:
    def run(last: str) -> al.Trace:
        return al.load(
            [{"round": n, "tool": "run", "args": {"command": "ls"}, "result": "a"}
             for n in (1, 2, 3)]
            + [{"round": 4, "tool": "run", "args": {"command": "cat a"}, "result": last}]
        )  # fmt: skip

    runs = al.Corpus([run("something new"), run("a")], labels=["good", "good"])
    (row,) = stop_table(runs, [same_action(3)]).itertuples(index=False)
    assert tuple(row) == (2, 2, 1, 1)
