"""What a user is told at the end, by slots: how long without what, what is verified, what is
missing; never a bare “task failed”.
"""  # noqa: D205 - one sentence

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentlens.breaker.budgets.incidents import Incident, amount_words
from agentlens.breaker.words import language

__all__ = ["WITHOUT", "EndSlots", "end_message", "lint_message", "number_words"]

_ZH = "零一二三四五六七八九十"
_EN = "no one two three four five six seven eight nine ten".split()

#: What rounds can go by without, by name, in the words of either language.
WITHOUT = {
    "progress": {"zh": "取得进展", "en": "progress"},
    "source": {"zh": "增加有效来源", "en": "a new valid source"},
    "result": {"zh": "得到新结果", "en": "a new result"},
}


def number_words(number: int, lang: str, *, counted: bool = True) -> str:
    """Say a small number in words; before what is counted, two is 两 in Chinese."""
    if not 0 <= number <= 10:
        return f"{number:,}"
    if lang == "zh":
        return "两" if number == 2 and counted else _ZH[number]
    return _EN[number]


@dataclass(frozen=True, slots=True)
class EndSlots:
    """What the message is filled with; what is not known stays empty and is left out.

    Attributes
    ----------
    terminal
        ``completed``, ``partial``, ``waiting_human`` or ``failed``.
    rounds, without
        How many rounds in a row went by without what, such as ``a new valid source``; a name in
        `WITHOUT` is said in the language of the message.
    incidents
        Budgets that were hit.
    verified, missing
        Conclusions that were verified, and what is missing, each in a few words.
    product
        What the user gets: ``report``, ``报告``.
    ask
        The one thing that a person must confirm.
    attempts, advice
        For a failure: what was tried, and what would help.
    """

    terminal: str
    rounds: int = 0
    without: str = ""
    incidents: Sequence[Incident] = ()
    verified: Sequence[str] = ()
    missing: Sequence[str] = ()
    product: str = ""
    ask: str = ""
    attempts: Sequence[str] = ()
    advice: str = ""


def end_message(slots: EndSlots, lang: str = "zh", warning: str = "") -> str:
    """Return the message, and a warning after it, such as that the task has no end state.

    Raises
    ------
    ValueError
        If there is no such language.

    Examples
    --------
    >>> slots = EndSlots("partial", rounds=3, without="增加有效来源", product="报告",
    ...                  verified=["价格", "交期"], missing=["供应商文档"])
    >>> end_message(slots)
    '连续三轮未增加有效来源，已停止；当前报告包含两项已验证结论，还缺供应商文档'
    """
    said = _zh(slots) if language(lang) == "zh" else _en(slots)
    return f"{said}{'；' if lang == 'zh' else '; '}{warning}" if warning else said


def _without(s: EndSlots, lang: str) -> str:
    return WITHOUT.get(s.without, {}).get(lang, s.without)


def _zh(s: EndSlots) -> str:
    why = {
        "completed": "所有完成条件均已满足",
        "waiting_human": "已暂停，等待人工确认",
        "failed": "没有可以安全继续的办法，已停止",
        "partial": "已停止",
    }[s.terminal]
    if s.incidents:
        used = "、".join(amount_words(i.dimension, i.limit, "zh") for i in s.incidents)
        why = f"预算（{used}）已用完，{why}"
    if s.rounds and s.without:
        why = f"连续{number_words(s.rounds, 'zh', counted=True)}轮未{_without(s, 'zh')}，{why}"
    count = number_words(len(s.verified), "zh")
    held = f"{count}项已验证结论" if s.verified else "没有已验证的结论"
    has = f"包含{held}" if s.verified else held
    gaps = f"，还缺{'、'.join(s.missing)}" if s.missing else ""
    held_now = f"当前{s.product or '结果'}{has}{gaps}"
    after = _after(s, ("已尝试：", "请确认一件事：", "建议："), "、")
    return "；".join([why, held_now, *after])


def _after(s: EndSlots, names: tuple[str, str, str], comma: str) -> list[str]:
    """Return the slots that need not be filled, each behind its name."""
    told = zip(names, (comma.join(s.attempts), s.ask, s.advice), strict=True)
    return [f"{name}{text}" for name, text in told if text]


def _en(s: EndSlots) -> str:
    why = {
        "completed": "Every completion condition holds",
        "waiting_human": "Paused until a person confirms",
        "failed": "Stopped, as there is no safe way on",
        "partial": "Stopped",
    }[s.terminal]
    after = []
    if s.rounds and s.without:
        rounds = "round" if s.rounds == 1 else "rounds in a row"
        after.append(f"{number_words(s.rounds, 'en')} {rounds} without {_without(s, 'en')}")
    if s.incidents:
        used = ", ".join(amount_words(i.dimension, i.limit) for i in s.incidents)
        after.append(f"the budget of {used} was used up")
    if after:
        why += f", after {' and after '.join(after)}"
    count = number_words(len(s.verified), "en")
    held = f"{count} verified conclusion{'' if len(s.verified) == 1 else 's'}"
    gaps = f"; still missing: {', '.join(s.missing)}" if s.missing else ""
    holds = f"the {s.product or 'result'} holds {held}{gaps}"
    names = ("tried: ", "please confirm one thing: ", "what would help: ")
    return "; ".join([why, holds, *_after(s, names, ", ")])


#: What a message that says nothing is made of: a failure, and politeness.
_EMPTY = re.compile(
    r"抱歉|对不起|很遗憾|任务|本次|当前|您的|执行|操作|运行|已经|已|失败|终止|停止|未完成|出错|错误|了"
    r"|请|重试|稍后|再试|达到|最大|轮次|[\W_]+"
    r"|\b(?:sorry|unfortunately|the|this|your|an?|i|we|it|was|is|has|have|been|to|due|task|run|agent"
    r"|job|request|execution|error|fail|failed|failure|aborted|stopped|unsuccessful|could|not|be"
    r"|completed|please|try|again|later|max|maximum|rounds|turns|steps|iterations|reached|of|number"
    r"|an|unknown|occurred)\b",
    re.IGNORECASE,
)
_SLOTS = (
    ("why it stopped", re.compile(
        r"轮|预算|超时|等待|完成条件|安全|round|budget|timed? ?out|waits?\b|paused|condition|safe",
        re.IGNORECASE,
    )),
    ("what is verified", re.compile(r"已?验证|verified|confirmed", re.IGNORECASE)),
    ("what is missing", re.compile(
        r"缺|missing|completion condition holds|完成条件均已满足", re.IGNORECASE
    )),
)  # fmt: skip


def lint_message(text: str) -> list[str]:
    """Return what is wrong with an end message; empty where nothing is.

    Examples
    --------
    >>> lint_message("任务失败。")
    ['says only that it failed']
    >>> lint_message("Stopped after three rounds without a new source; two verified conclusions.")
    ['does not say what is missing']
    """
    if not _EMPTY.sub("", text):
        return ["says only that it failed"]
    return [f"does not say {name}" for name, pattern in _SLOTS if not pattern.search(text)]
