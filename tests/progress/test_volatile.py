"""Volatile arguments: what the tables drop, and what a run shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import PolicyError
from agentlens.progress.results import digest
from agentlens.progress.volatile import ALWAYS, BESIDE, ArgumentLearner, check_volatile, told

UUIDS = [f"{n:08x}-1a2b-4c3d-9e8f-00000000000{n}" for n in range(1, 10)]
TIMES = [f"2026-01-02T03:04:0{n}Z" for n in range(10)]


def dropped(args, tool="bash", effect="run", added=None):
    return told(tool, effect, args, check_volatile(added or ()))


@pytest.mark.parametrize(
    ("effect", "names", "found"),
    [
        ("run", {"command", "description"}, {"description"}),  # Claude Code's Bash
        ("run", {"command", "security_risk", "summary"}, {"security_risk", "summary"}),
        ("read", {"path", "task_progress"}, {"task_progress"}),
        ("search", {"query", "request_id", "timestamp"}, {"request_id", "timestamp"}),
        ("write", {"path", "content", "description"}, {"description"}),  # deer-flow's write_file
        ("write", {"title", "description"}, set()),  # a ticket: the description is what it writes
        ("write", {"path", "description"}, set()),
        ("poll", {"request_id", "verbose"}, set()),  # what it asks for
        ("unknown", {"summary"}, set()),  # all there is
        ("run", {"command", "timeout"}, set()),  # to wait longer is to try otherwise
        ("unknown", {"nonce"}, set()),
    ],
)
def test_the_tables_drop_words_about_a_call_beside_what_it_does(effect, names, found):
    assert dropped(names, effect=effect) == found


def test_a_user_adds_names_for_every_tool_or_for_one():
    assert dropped({"command", "note"}, added=["note"]) == {"note"}
    assert dropped({"note"}, added=["note"]) == {"note"}  # even the only one: the user said so
    table = {"bash": ["note"], "*": ("mood",)}
    assert dropped({"command", "note", "mood"}, added=table) == {"note", "mood"}
    assert dropped({"command", "note"}, tool="sh", added=table) == set()


@pytest.mark.parametrize("wrong", ["note", {"bash": "note"}, {"bash": 3}, [3], {3: ["note"]}])
def test_what_is_no_table_is_said(wrong):
    with pytest.raises(PolicyError, match="volatile"):
        check_volatile(wrong)


def test_every_name_of_the_tables_says_why():
    assert all(reason for reason in (*ALWAYS.values(), *BESIDE.values()))


def learned(calls, tool="t", effect="search", kept=()):
    """Return what is volatile for each of ``(fields, answer)``."""
    learner, found = ArgumentLearner(), []
    for fields, answer in calls:
        look = learner.look(tool, effect, fields, kept)
        found.append(learner.volatile(look))
        learner.learn(look, answer)
    return found


def same(name, values, answer="found nothing", **others):
    return [({**others, name: value}, answer) for value in values]


def test_from_the_third_call_on_what_differs_every_time_is_dropped():
    calls = same("seq", ["a", "b", "c", "d"], query="x")
    assert learned(calls) == [set(), set(), {"seq"}, {"seq"}]


def test_two_generated_arguments_are_learned_together():
    calls = [({"query": "x", "rid": u, "at": t}, "-") for u, t in zip(UUIDS, TIMES, strict=False)]
    assert learned(calls)[2:4] == [{"rid", "at"}] * 2


@pytest.mark.parametrize(
    "calls",
    [
        same("query", ["a", "b", "c", "d"], limit="5"),  # different searches
        same("offset", [b"0", b"40", b"80"], path="a.py", answer=None),  # never answered
        [({"path": "a.py", "offset": str(n)}, f"lines {n}…") for n in range(5)],  # a file's pages
        [({"path": "a.py", "v": v}, "-") for v in ("1", "2", "2", "3", "4")],  # one came twice
        same("only", UUIDS),
        same("content", ["a", "b", "c", "d"], path="x"),
        same("id", UUIDS, verbose=b"true"),
    ],
)
def test_what_matters_is_not_learned(calls):
    assert learned(calls) == [set()] * len(calls)


@pytest.mark.parametrize("effect", ["write", "ask", "finish", "think"])
def test_an_action_answers_ok_whatever_it_did(effect):
    calls = same("order", UUIDS, reason_code="no longer needed", answer="ok")
    assert learned(calls, effect=effect) == [set()] * len(calls)


def test_a_tool_that_runs_teaches_only_by_generated_values():
    assert learned(same("arg", ["a", "b", "c", "d"], command="x"), effect="run")[3] == set()
    assert learned(same("arg", UUIDS, command="x"), effect="run")[3] == {"arg"}


def test_what_is_known_to_hold_the_query_is_kept():
    assert learned(same("wort", ["a", "b", "c", "d"], n="5"), kept={"wort"})[3] == set()


def test_generated_values_teach_for_the_whole_tool_until_one_matters():
    calls = [
        *same("rid", UUIDS[:3], query="x"),
        ({"query": "y", "rid": UUIDS[3]}, "other"),
        ({"query": "y", "rid": UUIDS[4]}, "another"),  # the answer depends on it
        ({"query": "z", "rid": UUIDS[5]}, "-"),
    ]
    assert learned(calls) == [set(), set(), {"rid"}, {"rid"}, {"rid"}, set()]


def test_any_other_value_teaches_for_its_own_call_alone():
    calls = [*same("page", ["1", "2", "3"], query="x"), ({"query": "y", "page": "1"}, "found 1")]
    assert learned(calls)[2:] == [{"page"}, set()]


# An implementation that keeps the calls and goes through all of them at each step.

NAMES = ("query", "rid", "at", "n")
MADE = {*UUIDS, *TIMES}


def slow(calls, effect, kept):
    looks = effect in ("search", "read", "poll")
    may = looks or effect in ("run", "unknown")

    def names(fields):
        return [f for f in fields if f not in ("query", *kept)] if len(fields) > 1 and may else []

    def rest(fields, name):
        out = {(k, v if k not in names(fields) or v not in MADE else "made")
               for k, v in fields.items() if k != name}  # fmt: skip
        return out, name

    def group(n, name, key):
        """Return values, answers and whether the group lives, of the calls before the n-th."""
        values, answers, lives = [], [], True
        for fields, answer in calls[:n]:
            if not lives or name not in names(fields) or rest(fields, name) != key:
                continue
            if not looks and not any(fields[f] in MADE for f in names(fields)):
                continue
            differs = answer is not None and answers and digest(answer) != digest(answers[0])
            if differs or fields[name] in values:
                lives = False
                continue
            values.append(fields[name])
            answers += [answer] if answer is not None else []
        return values, answers, lives

    for n, (fields, _) in enumerate(calls):
        found = set()
        candidates = names(fields)
        if not looks and not any(fields[f] in MADE for f in candidates):
            candidates = []
        for name in candidates:
            values, answers, lives = group(n, name, rest(fields, name))
            made = fields[name] in MADE and all(v in MADE for v in values)
            free = looks and len(answers) == len(values)
            if lives and len(values) >= 2 and fields[name] not in values and (made or free):
                found.add(name)
            known = matters = False
            for m, (other, answer) in enumerate(calls[:n]):
                if name not in names(other):
                    continue
                key = rest(other, name)
                values, answers, lives = group(m, name, key)
                made = other[name] in MADE and all(v in MADE for v in values)
                fresh = lives and other[name] not in values and made
                differs = answer is not None and answers and digest(answer) != digest(answers[0])
                known = known or (fresh and not differs and len(values) >= 2)
                matters = matters or (fresh and bool(differs))
            if fields[name] in MADE and known and not matters:
                found.add(name)
        yield found if len(found) < len(fields) else set()


CALLS = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {"query": st.sampled_from("xy")},
            optional={
                "rid": st.sampled_from([*UUIDS[:5], "r"]), "at": st.sampled_from(TIMES[:5]),
                "n": st.sampled_from("123"),
            },
        ),
        st.sampled_from([None, "-", "-", "-", "at 10:00:01", "at 10:00:02", "other"]),
    ),
    max_size=14,
)  # fmt: skip


@given(CALLS, st.sampled_from(["search", "run", "write"]), st.sampled_from([(), ("at",)]))
def test_it_equals_the_slow_one(calls, effect, kept):
    assert learned(calls, effect=effect, kept=kept) == list(slow(calls, effect, kept))
