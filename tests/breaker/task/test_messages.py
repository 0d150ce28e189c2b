"""The end message: the design's own sentence, in both languages, and nothing that says nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.budgets.incidents import Incident
from agentlens.breaker.task.messages import EndSlots, end_message, lint_message, number_words

GOOD = "连续三轮未增加有效来源，已停止；当前报告包含两项已验证结论，还缺供应商文档"


def test_r48_the_design_s_message_is_what_the_slots_give():
    slots = EndSlots(
        "partial", rounds=3, without="增加有效来源", product="报告", verified=("a", "b"),
        missing=("供应商文档",),
    )  # fmt: skip
    assert end_message(slots, "zh") == GOOD
    assert lint_message(GOOD) == []


def test_r48_in_english():
    slots = EndSlots(
        "partial", rounds=3, without="a new valid source", product="report", verified=("a", "b"),
        missing=("supplier document",),
    )  # fmt: skip
    assert end_message(slots, "en") == (
        "Stopped, after three rounds in a row without a new valid source; the report holds two "
        "verified conclusions; still missing: supplier document"
    )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_r48_a_budget_is_named_as_what_it_is(lang):
    slots = EndSlots("partial", incidents=[Incident("calls", 25, 25)], missing=["x"])
    said = end_message(slots, lang)
    assert {"zh": "预算（25 次调用）已用完", "en": "the budget of 25 calls was used up"}[
        lang
    ] in said


@pytest.mark.parametrize(
    "text",
    [
        "任务失败", "任务失败。", "抱歉，任务失败了！", "任务执行失败，请稍后再试",
        "已达到最大轮次", "失败", "task failed", "Task failed.", "The task has failed!",
        "Error: task failed", "Sorry, the run failed. Please try again later.",
        "max turns reached", "", "  ",
    ],
)  # fmt: skip
def test_r48_a_bare_failure_is_refused(text):
    assert lint_message(text) == ["says only that it failed"]


def test_r48_what_is_left_out_is_named():
    assert lint_message("任务失败：连续三轮没有新来源") == [
        "does not say what is verified", "does not say what is missing",
    ]  # fmt: skip
    assert lint_message("已验证两项结论，还缺供应商文档") == ["does not say why it stopped"]


words = st.text("甲乙丙abc", min_size=1, max_size=6)


@given(
    st.builds(
        EndSlots,
        terminal=st.sampled_from(["partial", "waiting_human", "failed", "completed"]),
        rounds=st.integers(0, 12), without=words,
        incidents=st.lists(
            st.builds(
                Incident, st.sampled_from(["steps", "seconds", "tokens", "calls", "cost"]),
                st.integers(1, 99), st.integers(1, 99),
            ), max_size=2,
        ),
        verified=st.lists(words, max_size=3), missing=st.lists(words, min_size=1, max_size=3),
        product=st.one_of(st.just(""), words), ask=st.one_of(st.just(""), words),
        attempts=st.lists(words, max_size=2), advice=st.one_of(st.just(""), words),
    ),
    st.sampled_from(["zh", "en"]),
)  # fmt: skip
def test_r48_whatever_fills_the_slots_passes_the_lint(slots, lang):
    said = end_message(slots, lang)
    problems = lint_message(said)
    unknown = slots.terminal == "partial" and not (slots.rounds and slots.without) and (
        not slots.incidents
    )  # fmt: skip
    assert problems == (["does not say why it stopped"] if unknown else [])
    for part in (*slots.missing, slots.ask, *slots.attempts, slots.advice):
        assert part in said


def test_numbers_are_said_as_people_say_them():
    assert [number_words(n, "zh") for n in (0, 2, 3, 10, 11)] == ["零", "两", "三", "十", "11"]
    assert number_words(2, "zh", counted=False) == "二"
    assert [number_words(n, "en") for n in (0, 1, 12_000)] == ["no", "one", "12,000"]


def test_a_language_that_is_none_is_refused():
    with pytest.raises(ValueError, match="lang: 'fr'"):
        end_message(EndSlots("partial"), "fr")
