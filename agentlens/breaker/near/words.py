"""Near misses and ignored advice in words, English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentlens.breaker.near.advice import Advice
    from agentlens.breaker.near.misses import NearMiss

__all__ = ["advice_words", "miss_words"]

_BROKE: Mapping[str, Mapping[str, str]] = {
    "en": {
        "key_order": "the arguments came in another order",
        "volatile_argument": "an id, a time or a comment among the arguments differed",
        "thought": "the model thought or said something else with it",
        "volatile_result": "an id or a time in the result differed",
        "think": "a call that only thinks came in between",
        "message": "each call was in a message of its own",
        "window": "the calls lay further apart than it looks back",
        "early": "there were too few rounds for it to look",
        "result": "the results differed",
    },
    "zh": {
        "key_order": "参数的顺序不同",
        "volatile_argument": "参数中的 id、时间或说明不同",
        "thought": "模型当时的思考或说法不同",
        "volatile_result": "结果中的 id 或时间不同",
        "think": "中间有一次只思考的调用",
        "message": "每次调用各在一条消息中",
        "window": "几次调用相隔超出了它的窗口",
        "early": "轮次太少，它还不检查",
        "result": "结果不同",
    },
}


def miss_words(miss: NearMiss, lang: str = "en") -> str:
    """Say in one sentence why a rule did not speak."""
    words = _BROKE[lang]
    if lang == "zh":
        why = "，且".join(words[kind] for kind in miss.broke)
        return (
            f"{miss.rule}：第 {miss.would_round} 轮的计数本会是 {miss.would_count}，"
            f"而不是 {miss.count}；但自第 {miss.round} 轮起{why}"
        )
    why = ", and ".join(words[kind] for kind in miss.broke)
    return (
        f"{miss.rule} would have counted {miss.would_count} in round {miss.would_round}, "
        f"not {miss.count}, but from round {miss.round} on {why}"
    )


def advice_words(advice: Advice, lang: str = "en") -> str:
    """Say in one sentence what came of a warning that the log shows."""
    ignored, following = advice.ignored, advice.next_round
    if lang == "zh":
        said = f"第 {advice.round} 轮，日志警告“{advice.said}”"
        if not ignored:
            return said + ("；随后换了做法" if following is not None else "")
        end = f"，第 {following} 轮才换了做法" if following is not None else "，直到最后"
        return f"{said}；之后 {ignored} 轮仍是同一调用{end}"
    said = f"Round {advice.round} was warned: “{advice.said}”"
    if not ignored:
        return said + (", and did something else" if following is not None else "")
    rounds = "1 more round" if ignored == 1 else f"{ignored:,} more rounds"
    end = f"; round {following} did something else" if following is not None else ", to the end"
    return f"{said}; the same call was made in {rounds}{end}"
