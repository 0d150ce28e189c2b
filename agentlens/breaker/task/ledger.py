"""The ledger of side effects: what was done to the world, and what may not be done twice."""

from __future__ import annotations

import time as _time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from threading import RLock
from typing import Any, Literal

from agentlens.breaker.task.side_effects import hash_of, identity_of

__all__ = [
    "STATUSES",
    "Begun",
    "Entry",
    "KeyReuseError",
    "Ledger",
    "SideEffectsBlockedError",
]

STATUSES = ("unknown", "done", "failed", "compensated")


class KeyReuseError(ValueError):
    """One idempotency key was used for two different calls: a fault of the caller."""


class SideEffectsBlockedError(RuntimeError):
    """A new side effect was asked for after the run had begun to stop."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One side effect.

    Attributes
    ----------
    key
        Its identity, as `identity_of` gives it.
    tool, target, args_hash
        What was called, on what, and a hash of its canonical arguments.
    status
        One of `STATUSES`. It is `unknown` from before the call until an answer is certain, so
        that a crash in between leaves it so.
    result
        The first result, given again instead of a second call.
    attempts, effects
        How often it was let run, and how often it is known to have taken effect.
    compensation
        The action that undoes it, designed beforehand; empty where there is none.
    round, time
        Where and when it was first begun.
    """

    key: str
    tool: str
    target: str
    args_hash: str
    status: str = "unknown"
    result: str = ""
    attempts: int = 1
    effects: int = 0
    compensation: str = ""
    round: int | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """What to do about a side effect: run it, ask first whether it took effect, or take `entry`'s
    result, because it is done.
    """  # noqa: D205 - one sentence

    action: Literal["run", "query", "replay"]
    entry: Entry


@dataclass(slots=True)
class Ledger:
    """All side effects of a task, by identity; threads may share it.

    Examples
    --------
    >>> ledger = Ledger()
    >>> begun = ledger.begin("send_mail", {"to": "ana", "idempotency_key": "m-1"})
    >>> begun.action, begun.entry.status
    ('run', 'unknown')
    >>> ledger.begin("send_mail", {"to": "ana", "idempotency_key": "m-1"}).action
    'query'
    >>> _ = ledger.confirm(begun.entry.key, took_effect=True)
    >>> ledger.begin("send_mail", {"to": "ana", "idempotency_key": "m-1"}).action
    'replay'
    """

    blocked: bool = False
    clock: Callable[[], float] = field(default=_time.time, repr=False)
    _entries: dict[str, Entry] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def begin(
        self,
        tool: str,
        args: Mapping[str, Any] | None,
        *,
        target: str = "",
        key: str | None = None,
        compensation: str = "",
        round: int | None = None,
    ) -> Begun:
        """Ask before a side effect, and write down that it may happen.

        Returns
        -------
        Begun
            ``run`` the first time and after a known failure or a compensation; ``query`` while
            it is unknown whether it took effect; ``replay`` once it is done.

        Raises
        ------
        KeyReuseError
            If its idempotency key was used for another tool, other arguments or another target.
        SideEffectsBlockedError
            If the run is stopping.
        """
        identity, hashed = identity_of(tool, args, target, key), hash_of(args)
        with self._lock:
            old = self._entries.get(identity)
            if old and (old.tool, old.args_hash, old.target) != (tool, hashed, target):
                raise KeyReuseError(
                    f"{identity}: used for {old.tool} before, now for {tool} with other arguments"
                )
            if old and old.status == "done":
                return Begun("replay", old)
            if old and old.status == "unknown":
                return Begun("query", old)
            if self.blocked:
                raise SideEffectsBlockedError(f"the run is stopping: {tool} may not run")
            now = self.clock()
            entry = (
                replace(old, status="unknown", attempts=old.attempts + 1)
                if old
                else Entry(
                    identity, tool, target, hashed, compensation=compensation, round=round, time=now
                )
            )
            self._entries[identity] = entry
            return Begun("run", entry)

    def find(self, key: str) -> Entry | None:
        """Return what is known of a side effect, by its identity, without beginning it."""
        with self._lock:
            return self._entries.get(key)

    def settle(self, key: str, status: str, result: str = "") -> Entry:
        """Write down how a side effect ended: ``done``, ``failed`` or ``unknown``.

        A failure must be certain: what timed out or lost its connection is ``unknown``. More
        effects than attempts are not counted: a late answer repeats what a query had found.

        Raises
        ------
        KeyError, ValueError
            If there is no such entry or status.
        """
        if status not in ("unknown", "done", "failed"):
            raise ValueError(f"status: {status!r} is none of unknown, done, failed")
        with self._lock:
            old = self._entries[key]
            entry = replace(
                old,
                status=status,
                result=result or old.result,
                effects=min(old.attempts, old.effects + (status == "done")),
            )
            self._entries[key] = entry
            return entry

    def confirm(self, key: str, *, took_effect: bool | None) -> Entry:
        """Write down what a query found; None, it cannot say, leaves it to a person."""
        with self._lock:
            entry = self._entries[key]
            if entry.status != "unknown" or took_effect is None:
                return entry
            return self.settle(key, "done" if took_effect else "failed")

    def compensate(self, key: str) -> Entry:
        """Write down that an effect was undone by the action designed for it.

        Raises
        ------
        ValueError
            If it is not done, or no compensation was designed when it was begun.
        """
        with self._lock:
            old = self._entries[key]
            if old.status != "done" or not old.compensation:
                why = "no compensation was designed" if old.status == "done" else f"is {old.status}"
                raise ValueError(f"{key}: {why}")
            entry = replace(old, status="compensated", effects=old.effects - 1)
            self._entries[key] = entry
            return entry

    def block(self) -> None:
        """Let no new side effect begin; asking about old ones goes on."""
        with self._lock:
            self.blocked = True

    def allow(self) -> None:
        """Let side effects begin again, because a person let the task go on."""
        with self._lock:
            self.blocked = False

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in the order in which they were begun."""
        with self._lock:
            return tuple(self._entries.values())

    @property
    def unconfirmed(self) -> tuple[Entry, ...]:
        """The side effects of which nobody knows whether they happened."""
        return tuple(e for e in self.entries if e.status == "unknown")

    @property
    def duplicates(self) -> int:
        """How many side effects happened again after they had happened once."""
        return sum(max(0, e.effects - 1) for e in self.entries)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the entries as plain values."""
        return [asdict(entry) for entry in self.entries]

    @classmethod
    def from_list(cls, saved: Iterable[Mapping[str, Any]]) -> Ledger:
        """Return a ledger as it was saved; side effects are allowed again."""
        entries = [Entry(**values) for values in saved]
        return cls(_entries={entry.key: entry for entry in entries})
