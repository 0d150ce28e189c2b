"""What a conversation has been told so far: each request sends the history again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from agentlens.trace.arguments import parse_arguments
from agentlens.trace.formats.turns import Turn

__all__ = ["News", "Told", "arguments_key", "is_user"]

#: Conversations of one thread that are kept in mind (an agent, its title writer, its summariser).
_KEPT = 8
#: What hosts write in a user's name.
_BOILERPLATE = ("<system-reminder>", "<environment_context>", "<task-notification>")


def is_user(turn: Turn) -> bool:
    """Say whether a turn is a user's own message."""
    return (
        turn.role == "user"
        and not turn.results
        and bool(turn.text.strip())
        and not turn.text.lstrip().startswith(_BOILERPLATE)
    )


def arguments_key(args: Any) -> bytes | str | None:
    """Return arguments in a form in which equal ones are equal, or None where there are none."""
    parsed, raw, _ = parse_arguments(args)
    if parsed is None:
        return raw
    try:
        return orjson.dumps(parsed, default=str, option=orjson.OPT_SORT_KEYS
                            | orjson.OPT_NON_STR_KEYS)  # fmt: skip
    except (TypeError, orjson.JSONEncodeError):
        return repr(parsed)


def _key(turn: Turn) -> tuple[Any, ...]:
    """Return what tells a turn apart when it is sent again, perhaps cleaned a little."""
    calls = tuple(c.call_id or arguments_key(c.args) for c in turn.calls)
    results = tuple(r.call_id or r.text[:200] for r in turn.results)
    text = "" if turn.results or turn.calls else turn.text
    return ("tool" if turn.results else turn.role, text, calls, results)


@dataclass(slots=True)
class News:
    """What a request sent that no earlier one had; `before`: a history older than the trace."""

    turns: list[Turn]
    before: bool = False


@dataclass(slots=True)
class Told:
    """The conversations of one thread, as far as their requests have told them."""

    conversations: list[list[tuple[Any, ...]]] = field(default_factory=list)
    users: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    calls: set[tuple[str, Any]] = field(default_factory=set)

    def answered(self, answer: Turn) -> None:
        """Remember the calls of a response, so that it is known again."""
        for call in answer.calls:
            if call.call_id:
                self.ids.add(call.call_id)
            self.calls.add((call.tool, arguments_key(call.args)))

    def unknown(self, turn: Turn) -> bool:
        """Say whether a response that was sent along has calls, none of which is known."""
        return bool(turn.calls) and not any(
            call.call_id in self.ids or (call.tool, arguments_key(call.args)) in self.calls
            for call in turn.calls
        )

    def hear(self, sent: Sequence[Turn]) -> News:
        """Take a request's messages in; return those that are new."""
        turns = [turn for turn in sent if turn.role != "system"]
        keys = [_key(turn) for turn in turns]
        common = [_common(old, keys) for old in self.conversations]
        best = max(range(len(common)), key=common.__getitem__, default=-1)
        last = max((i for i, turn in enumerate(turns) if turn.role == "assistant"), default=-1)
        if best >= 0 and common[best] and common[best] == len(self.conversations[best]):
            del self.conversations[best]
            kept, before = turns[common[best] :], False
        else:
            # The first request, another conversation, or one whose history was cut: what stands
            # behind the last response is new, if it is not known already; so are open results.
            before = last >= 0 and not self.conversations
            kept = [
                turn for i, turn in enumerate(turns)
                if turn.results or (i > last and not (is_user(turn) and turn.text in self.users))
            ]  # fmt: skip
            if best >= 0 and common[best] * 2 > len(self.conversations[best]):
                del self.conversations[best]
        self.conversations = [*self.conversations[-_KEPT + 1 :], keys]
        self.users.update(turn.text for turn in turns if is_user(turn))
        return News(kept, before)


def _common(old: Sequence[Any], new: Sequence[Any]) -> int:
    """Return how many first elements two sequences share."""
    for number, (a, b) in enumerate(zip(old, new, strict=False)):
        if a != b:
            return number
    return min(len(old), len(new))
