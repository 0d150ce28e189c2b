"""Every peer's preset on hand-made runs: at its threshold, one below, and with its reset.

The numbers are those at which each agent acts, read from its source.
"""

from __future__ import annotations

import pytest

import agentlens as al

SAME = {"tool": "bash", "args": {"command": "make"}, "result": "built"}
OTHER = {"tool": "bash", "args": {"command": "ls"}, "result": "a b"}
FAIL = {"tool": "bash", "args": {"command": "make"}, "result": "no rule", "error": True}
READ = {"tool": "read_file", "args": {"path": "a"}, "result": "text"}
PING = {"tool": "web_search", "args": {"query": "x"}, "result": "r"}
PONG = {"tool": "web_fetch", "args": {"url": "https://e.org"}, "result": "p"}
SAYS = {"tool": None, "text": "I will go on now."}
EMPTY = {"tool": None, "text": ""}
USER = {"role": "user", "text": "go on"}


def spoken(preset: str, rows: list[dict]) -> list[tuple[int, str, str, str]]:
    """Return (round, phase, level, rule) of everything a preset says; each row is a round."""
    numbered, number = [], 0
    for row in rows:
        number += row.get("role") != "user"
        numbered.append({"round": number, **row})
    trace = al.load(numbered)
    rounds = trace.tables["rounds"]["round"]
    made = al.replay(trace, preset)
    return [(rounds[s.row], s.phase, s.finding.level, s.finding.rule) for s in made.spoken]


def numbered_calls(n: int, **more) -> list[dict]:
    """Return calls of one tool with other arguments each time."""
    return [{"tool": "bash", "args": {"command": f"c{i}"}, "result": f"r{i}", **more}
            for i in range(n)]  # fmt: skip


#: Preset, rule, level, the run that is one short of it, the row that makes it, a row that resets,
#: and whether the rule speaks before or after the round.
AT = [
    ("openhands", "same-action", "stop", [SAME] * 3, SAME, OTHER, "after"),
    ("openhands", "same-error", "stop", [FAIL] * 2, FAIL, OTHER, "after"),
    ("openhands", "alternating", "stop", [PING, PONG] * 2 + [PING], PONG, OTHER, "after"),
    ("openhands", "monologue", "stop", [SAYS] * 2, SAYS, OTHER, "before"),
    ("openhands", "empty", "stop", [EMPTY] * 2, EMPTY, OTHER, "before"),
    ("openhands-sdk", "same-action", "stop", [SAME] * 3, SAME, USER, "after"),
    ("openhands-sdk", "same-error", "nudge", [FAIL] * 2, FAIL, USER, "after"),
    ("openhands-sdk", "same-error", "stop", [FAIL] * 3, FAIL, USER, "after"),
    ("openhands-sdk", "alternating", "stop", [PING, PONG] * 2 + [PING], PONG, USER, "after"),
    ("openhands-sdk", "monologue", "stop", [SAYS, {**SAYS, "text": "b"}], SAYS, OTHER, "before"),
    ("gemini-cli", "tool-calls", "stop", [SAME] * 4, SAME, USER, "before"),
    ("gemini-cli", "tool-calls", "stop", [PING, PONG] * 4 + [PING], PONG, OTHER, "before"),
    ("qwen-code", "identical", "stop", [SAME] * 4, SAME, OTHER, "before"),
    ("qwen-code-heuristics", "anywhere", "stop", [SAME, OTHER] * 5, SAME, USER, "before"),
    ("qwen-code-heuristics", "alternating", "stop", [PING, PONG] * 2 + [PING], PONG, USER,
     "before"),
    ("qwen-code-heuristics", "same-tool", "stop", numbered_calls(7), OTHER, READ, "before"),
    ("roo-code", "repetition", "stop", [SAME] * 3, SAME, OTHER, "before"),
    ("cline", "loop", "nudge", [SAME] * 2, SAME, OTHER, "before"),
    ("cline", "loop", "stop", [SAME] * 4, SAME, OTHER, "before"),
    ("goose", "same-error", "block", [FAIL] * 3, OTHER, None, "before"),
    ("openclaw", "generic", "nudge", [SAME, OTHER] * 9, SAME, USER, "before"),
    ("openclaw", "no-progress", "block", [SAME] * 20, SAME, None, "before"),
    ("openclaw", "ping-pong", "nudge", [PING, PONG] * 4 + [PING], PONG, OTHER, "before"),
    ("openclaw", "ping-pong", "block", [PING, PONG] * 9 + [PING], PONG, OTHER, "before"),
    ("browser-use", "repeats", "nudge", [SAME, OTHER, READ] * 4, SAME, USER, "before"),
    ("browser-use", "stagnation", "nudge", [SAME] * 5, SAME, OTHER, "after"),
    ("browser-use", "failures", "stop", [FAIL] * 4, FAIL, OTHER, "after"),
    ("crush", "steps", "stop", [SAME] * 5 + [OTHER] * 4, SAME, USER, "after"),
    ("hermes", "exact-failure", "nudge", [FAIL], FAIL, USER, "after"),
    ("hermes", "exact-failure", "stop", [FAIL] * 4, FAIL, USER, "after"),
    ("hermes", "same-tool-failure", "stop", numbered_calls(7, error=True), FAIL, SAME, "after"),
    ("hermes", "no-progress", "stop", [READ] * 4, READ, {**READ, "result": "new"}, "after"),
    ("hermes", "identical", "stop", [SAME] * 4, SAME, OTHER, "after"),
    ("hermes", "cycle", "stop", [PING, PONG] * 4 + [PING], PONG, OTHER, "after"),
    ("openrouter", "calls", "nudge", [SAME, READ], SAME, OTHER, "before"),
    ("openrouter", "calls", "block", [SAME] * 2, SAME, OTHER, "before"),
    ("openrouter", "calls", "stop", [SAME] * 5, SAME, OTHER, "before"),
    ("crewai", "refuse", "block", [SAME], SAME, OTHER, "before"),
    ("crewai", "raise", "stop", [SAME, OTHER] * 4, SAME, None, "after"),
    ("crewai", "max-iter", "stop", numbered_calls(25), SAME, USER, "before"),
    ("ag2", "loop", "nudge", [SAME] * 2, SAME, OTHER, "before"),
    ("forge", "doom-loop", "nudge", [PING, PONG] * 2, PING, OTHER, "before"),
    ("deerflow", "sets", "nudge", [SAME, OTHER] * 2, SAME, None, "before"),
    ("deerflow", "sets", "stop", [SAME, OTHER] * 4, SAME, None, "before"),
    ("deerflow", "frequency", "stop", numbered_calls(49), SAME, None, "before"),
    ("stella", "exact", "nudge", [SAME] * 2, SAME, OTHER, "after"),
    ("stella", "exact", "stop", [SAME] * 3, SAME, OTHER, "after"),
    ("stella", "cycle", "nudge", [PING, PONG] * 2 + [PING], PONG, OTHER, "after"),
    ("stella", "cycle", "stop", [PING, PONG] * 3 + [PING], PONG, OTHER, "after"),
    ("unwedge", "same-result", "nudge", [SAME, OTHER] * 3, SAME, None, "after"),
    ("pilo", "repeats", "nudge", [SAME] * 2, SAME, OTHER, "before"),
    ("pilo", "repeats", "stop", [SAME] * 3, SAME, OTHER, "before"),
    ("smolagents", "limit", "stop", numbered_calls(20), SAME, USER, "before"),
    ("openai-agents", "limit", "stop", numbered_calls(10), SAME, USER, "before"),
    ("dify", "limit", "stop", numbered_calls(5), SAME, USER, "before"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "rule", "level", "short", "last", "reset", "phase"), AT,
    ids=[f"{row[0]}-{row[1]}-{row[2]}-{len(row[3])}" for row in AT],
)  # fmt: skip
def test_a_peer_speaks_at_its_threshold_not_one_below_and_not_after_its_reset(
    preset, rule, level, short, last, reset, phase
):
    def said(rows: list[dict]) -> list[tuple[int, str]]:
        return [(n, p) for n, p, at, name in spoken(preset, rows) if (at, name) == (level, rule)]

    assert said(short) == []
    assert said([*short, last]) == [(len(short) + 1, phase)]
    if reset is not None:
        assert said([*short, reset, last]) == []


def test_the_order_of_keys_counts_for_gemini_and_not_for_cline():
    one = {"tool": "t", "args": {"a": 1, "b": 2}, "result": "r"}
    two = {"tool": "t", "args": {"b": 2, "a": 1}, "result": "r"}
    mixed = [one, one, two, one, one]
    assert not [s for s in spoken("gemini-cli", mixed) if s[2] == "stop"]
    assert [s for s in spoken("cline", mixed) if s[2] == "stop"] == [(5, "before", "stop", "loop")]


def test_opencode_sees_repeats_within_one_message_only():
    rows = [{"round": 1, **SAME}] * 3
    made = al.replay(al.load(rows), "opencode")
    assert (made.trip.rule, made.trip.count) == ("doom-loop", 3)
    assert spoken("opencode", [SAME] * 9) == []


def test_roo_forgets_when_it_trips_and_cline_stays_armed():
    assert [n for n, _, at, _ in spoken("roo-code", [SAME] * 9) if at == "stop"] == [4, 8]


def test_calls_of_other_tools_do_not_end_a_streak_of_openrouter():
    rows = [SAME, READ, SAME, READ, SAME]
    assert (5, "before", "block", "calls") in spoken("openrouter", rows)


def test_equal_calls_of_one_round_count_once_for_openrouter():
    rows = [{"round": 1, **SAME}] * 5
    assert al.replay(al.load(rows), "openrouter").spoken == ()


def test_a_success_between_resets_goose_and_a_changed_result_openclaw():
    assert spoken("goose", [FAIL, FAIL, SAME, FAIL, OTHER]) == []
    changed = {**SAME, "result": "new"}
    said = spoken("openclaw", [*[SAME] * 15, changed, *[SAME] * 15])
    assert not [s for s in said if s[2] in ("block", "stop")]


def test_ag2_tells_of_each_key_once():
    said = spoken("ag2", [SAME] * 4 + [OTHER] + [SAME] * 4)
    assert [n for n, *_ in said] == [3]


def test_every_preset_says_what_it_is_and_where_it_was_read():
    for name in al.Policy.presets():
        about = al.Policy.about(name)
        assert about["description"]
        if name not in ("classic", "layered"):
            assert about["version"]
            assert about["source"]
            assert about["shipped"] in ("on", "off", "advice")


def test_chanting_is_seen_at_ten_repeats_and_not_in_prose():
    line = "I will now check the file again and then I will be sure of it. "
    assert len(line) > 50
    for times, wanted in ((9, []), (11, ["chanting"])):
        said = spoken("gemini-cli", [{"tool": None, "text": line * times}])
        assert [rule for *_, rule in said] == wanted
    prose = " ".join(f"sentence number {i} says something of its own" for i in range(99))
    assert spoken("gemini-cli", [{"tool": None, "text": prose}]) == []


def test_a_block_of_tokens_at_the_end_counts_for_openrouter():
    for times, wanted in ((3, []), (4, ["text"])):
        rows = [{"tool": None, "text": "so it is. " + "a b c d " * times}]
        assert [rule for *_, rule in spoken("openrouter", rows)] == wanted
    assert spoken("openrouter", [EMPTY]) == []
