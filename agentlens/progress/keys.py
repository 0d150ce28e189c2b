"""The identity of a call, as rules need it: what makes two calls the same.

What goes into the key decides a rule's verdict more than its threshold does. So every part can be
switched: the arguments (left out, as the log writes them, in canonical form, or normalised), the
result (left out, its exit code, its first 100 characters, masked, or in full) and the thought.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from agentlens.errors import PolicyError
from agentlens.progress.calls import Call, call_of, calls_of
from agentlens.progress.canonical import canonical
from agentlens.progress.fragments import FragmentLearner, masked
from agentlens.progress.volatile import ArgumentLearner, Look, Volatile, check_volatile, told

if TYPE_CHECKING:
    from agentlens.trace.model import Trace
    from agentlens.trace.tools import ToolSpec

__all__ = ["ARGUMENTS", "RESULTS", "CallKeys", "call_keys"]

ARGUMENTS: Final = ("none", "raw", "canonical", "normalised")
RESULTS: Final = ("none", "exit", "first100", "masked", "full")


class CallKeys:
    """Keys of calls as they happen: equal keys, same call.

    Learning is causal: the key of a call rests on the calls before it and on itself, never on
    later ones, so a guard that sees the run grow and a replay that has it whole agree. The price
    is that the first two calls of a repeated one keep what was only then found to be volatile.

    Parameters
    ----------
    arguments
        ``none``: the tool alone. ``raw``: as the log writes them, keys in its order.
        ``canonical``: RFC 8785, so that key order and the spelling of numbers do not matter.
        ``normalised``: canonical, without volatile arguments.
    result
        ``none``, ``exit`` (the exit code, or else the status), ``first100`` (characters),
        ``masked`` (as `agentlens.progress.results` masks it, and what is learned) or ``full``.
    thought
        Put what the model said and thought in the call's round into the key.
    only
        Names of the arguments that count, where any of them is there; default all.
    volatile
        Further volatile arguments: ``["note"]``, or ``{"bash": ["note"], "*": ["trace"]}``.
    learn
        Also drop and mask what differs every time; see `ArgumentLearner`, `FragmentLearner`.
    tools
        What tools do, as for `agentlens.load`; only for calls given to `add` and `peek`.

    Raises
    ------
    PolicyError
        If an option is none of those above.

    Examples
    --------
    >>> keys = CallKeys()
    >>> one = keys.add({"tool": "bash", "args": {"command": "ls", "description": "Look"}})
    >>> two = keys.add({"tool": "bash", "args": {"description": "Look again", "command": "ls"}})
    >>> one == two
    True
    """

    def __init__(
        self, *, arguments: str = "normalised", result: str = "none", thought: bool = False,
        only: Iterable[str] = (), volatile: Volatile = (), learn: bool = True,
        tools: Mapping[str, ToolSpec] | None = None,
    ) -> None:  # fmt: skip
        for name, value, known in (
            ("arguments", arguments, ARGUMENTS),
            ("result", result, RESULTS),
        ):
            if value not in known:
                raise PolicyError(f"{name} {value!r} is none of {', '.join(known)}")
        if isinstance(only, str):
            raise PolicyError("only must be names of arguments, such as ['path', 'command']")
        self._arguments, self._result, self._thought = arguments, result, thought
        self._only = frozenset(only)
        self._added = check_volatile(volatile)
        self._tools = dict(tools or {})
        self._dropped: dict[tuple[Any, ...], set[str]] = {}
        self._learner = ArgumentLearner() if learn and arguments == "normalised" else None
        self._fragments = FragmentLearner() if learn and result == "masked" else None

    def peek(self, call: Call | Mapping[str, Any]) -> bytes:
        """Return the key that a call has before it runs, and remember nothing of it.

        That is what `add` returns once it ran, where the result is no part of the key.
        """
        seen = call if isinstance(call, Call) else call_of(call, self._tools)
        part, _ = self._part(seen)
        return _digest(part, self._of_thought(seen), b"")

    def add(self, call: Call | Mapping[str, Any]) -> bytes:
        """Return the key of a call that ran, and learn from it.

        Parameters
        ----------
        call
            As a row of the plain format: ``tool``, ``args``, and where known ``result``,
            ``error``, ``exit_code``, ``thought`` and ``text``; or a `Call`.

        Returns
        -------
        bytes
            16 bytes (BLAKE2b).
        """
        seen = call if isinstance(call, Call) else call_of(call, self._tools)
        part, look = self._part(seen)
        key = _digest(part, self._of_thought(seen), self._of_result(seen, part))
        if self._learner is not None and look is not None:
            self._learner.learn(look, None if seen.status == "missing" else seen.result)
        return key

    def _part(self, call: Call) -> tuple[bytes, Look | None]:
        """Return the tool and its arguments, and what of these may be learned."""
        tool = f"{call.namespace or ''}\0{call.tool}\0".encode("utf-8", "surrogatepass")
        if self._arguments == "none":
            return tool, None
        if call.args is None and call.args_raw:
            return tool + b"\0" + call.args_raw.encode("utf-8", "surrogatepass"), None
        args = self._chosen(call)
        if self._arguments == "raw":
            return tool + _as_written(args), None
        look = self._look(call, args)
        if look is not None and self._learner is not None:
            learned = self._learner.volatile(look)
            if learned:
                args = {name: value for name, value in args.items() if name not in learned}
        return tool + canonical(args), look

    def _chosen(self, call: Call) -> Mapping[str, Any]:
        """Return the arguments that count, without those that the tables drop."""
        args = call.args or {}
        if self._only and not self._only.isdisjoint(args):
            args = {name: value for name, value in args.items() if name in self._only}
        if self._arguments == "normalised" and args:
            shape = call.tool, call.effect, *args
            dropped = self._dropped.get(shape)
            if dropped is None:
                dropped = told(call.tool, call.effect, args, self._added)
                self._dropped[shape] = dropped
            if dropped:
                args = {name: value for name, value in args.items() if name not in dropped}
        return args

    def _look(self, call: Call, args: Mapping[str, Any]) -> Look | None:
        """Return what of a call's arguments may be learned, None where nothing may."""
        if self._learner is None or len(args) < 2:
            return None
        fields = {
            name: value if isinstance(value, str) else canonical(value)
            for name, value in args.items()
        }
        kept = {n for n, v in fields.items() if v == call.target or v in call.queries}
        given = self._tools.get(call.tool)
        if isinstance(given, tuple):
            kept.add(given[1])
        look = self._learner.look(call.tool, call.effect, fields, kept)
        return look if look.arguments else None

    def _of_thought(self, call: Call) -> bytes:
        return call.thought.encode("utf-8", "surrogatepass") if self._thought else b""

    def _of_result(self, call: Call, part: bytes) -> bytes:
        if self._result == "none":
            return b""
        if call.status == "missing":
            return b"missing"
        if self._result == "exit":
            return f"={call.status if call.exit_code is None else call.exit_code}".encode()
        text = call.result
        if self._result == "first100":
            text = text[:100]
        elif self._result == "masked":
            learner = self._fragments
            text = masked(text) if learner is None else learner.mask(_digest(part), text)
        return b"=" + text.encode("utf-8", "surrogatepass")


def call_keys(
    trace: Trace, *, arguments: str = "normalised", result: str = "none", thought: bool = False,
    only: Collection[str] = (), volatile: Volatile = (), learn: bool = True,
) -> list[bytes]:  # fmt: skip
    """Return a key for each call of a trace, in the order of its calls table.

    The fold of `CallKeys` over the calls, which explains the options; learning is per trace and
    causal. Cached on the trace.

    Parameters
    ----------
    trace
        A trace.
    arguments, result, thought, only, volatile, learn
        What a key is made of, as for `CallKeys`.

    Returns
    -------
    list of bytes
        Equal for equal calls; to be compared, not read.

    Raises
    ------
    PolicyError
        If an option is not known.
    """
    added = check_volatile(volatile)
    options = (
        "call_keys", arguments, result, thought, frozenset(only), frozenset(added.items()), learn,
    )  # fmt: skip
    if options not in trace.cache:
        keys = CallKeys(
            arguments=arguments, result=result, thought=thought, only=only, volatile=volatile,
            learn=learn, tools=trace.tools,
        )  # fmt: skip
        trace.cache[options] = [keys.add(call) for call in calls_of(trace, thought)]
    found: list[bytes] = trace.cache[options]
    return found


def _as_written(args: Mapping[str, Any]) -> bytes:
    """Return arguments as JSON, keys in the order in which they came."""
    try:
        return orjson.dumps(args)
    except (TypeError, RecursionError):  # also orjson's own: surrogates, large integers, depth
        return b"{" + b",".join(canonical({n: v})[1:-1] for n, v in args.items()) + b"}"


def _digest(*parts: bytes) -> bytes:
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(len(part).to_bytes(8, "big"))
        made.update(part)
    return made.digest()
