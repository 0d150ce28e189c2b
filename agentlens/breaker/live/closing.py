"""What the model is told after a stop, by its cause: it then answers without tools."""

from __future__ import annotations

from agentlens.breaker.words import language

__all__ = ["FORCED", "closing_prompt"]

#: The cause of a stop that an operator asked for.
FORCED = "forced_open"

#: By rule, or by the machine's event of its trip. The first one stands so in the design.
_PROMPTS = {
    "query": {
        "zh": "已就相似查询搜索多次且无新信息，请基于现有结果作答，不要再重复搜索。",
        "en": "Similar queries were searched several times and brought nothing new. Answer from "
        "the results there are; do not search again.",
    },
    "no_progress": {
        "zh": "已多次行动而无新进展，请基于现有结果作答，并说明还缺什么，不要再调用工具。",
        "en": "Several steps brought nothing new. Answer from the results there are and say what "
        "is missing; call no more tools.",
    },
    "budget": {
        "zh": "已达到最大轮次，请基于现有结果作答，并说明还缺什么，不要再调用工具。",
        "en": "The largest number of rounds is reached. Answer from the results there are and say "
        "what is missing; call no more tools.",
    },
    "hard_budget_hit": {
        "zh": "预算已用完，请基于现有结果作答，并说明还缺什么，不要再调用工具。",
        "en": "The budget is used up. Answer from the results there are and say what is missing; "
        "call no more tools.",
    },
    "approval_required": {
        "zh": "需要人工确认才能继续，请说明已完成什么、等待确认的是哪一件事，不要再调用工具。",
        "en": "A person must confirm before this goes on. Say what is done and which one thing is "
        "to be confirmed; call no more tools.",
    },
    FORCED: {
        "zh": "操作员要求停止，请基于现有结果作答，并说明还缺什么，不要再调用工具。",
        "en": "The operator asked to stop. Answer from the results there are and say what is "
        "missing; call no more tools.",
    },
}


def closing_prompt(rule: str | None, event: str | None = None, lang: str = "zh") -> str:
    """Return what the model is told after a stop.

    Parameters
    ----------
    rule
        The rule that stopped the run, or `FORCED`; None, where nothing did, gives no prompt.
    event
        The machine's event of that rule.
    lang
        ``zh`` or ``en``.

    Returns
    -------
    str
        The prompt; empty where nothing stopped the run.

    Raises
    ------
    ValueError
        If there is no such language.
    """
    language(lang)
    if rule is None:
        return ""
    chosen = _PROMPTS.get(rule) or _PROMPTS.get(event or "") or _PROMPTS["no_progress"]
    return chosen[lang]
