"""What a stopped task leaves behind: one JSON file, whole or not there, and the way back."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.machine import STATES, Machine, Transition
from agentlens.breaker.task.ledger import Ledger
from agentlens.trace.whole_file import write_whole

__all__ = ["FORMAT", "Checkpoint", "CheckpointError", "Resumed", "read", "resume"]

#: Name and version of the file's layout.
FORMAT = "agentlens-checkpoint@1"


class CheckpointError(ValueError):
    """A saved task cannot be resumed; the message names the file and why."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A stopped task. The first five are the five things that a stop must save (A2).

    Attributes
    ----------
    results
        What was found so far.
    consistent
        The last consistent state of the host's own, to go on from.
    unconfirmed
        Side effects of which it is unknown whether they happened.
    stop
        Why it stopped: ``event``, ``cause``, ``round``, and ``causes`` where there were several.
    conditions
        What must hold before it may go on.
    task, state
        Id of the task, and where its machine is, or will be once this is saved.
    ask
        The one thing that a person must confirm; empty where there is none.
    messages
        What the user is told, by language.
    budget, ledger, path
        What was used, every side effect, every transition.
    forbidden, replans
        Actions that brought nothing, and how many replans were used.
    saved, expires
        When, in seconds since the epoch; after `expires` it is not resumed (None: never).
    """

    results: tuple[Any, ...] = ()
    consistent: Mapping[str, Any] = field(default_factory=dict)
    unconfirmed: tuple[Mapping[str, Any], ...] = ()
    stop: Mapping[str, Any] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    task: str = ""
    state: str = "running"
    ask: str = ""
    messages: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, Any] | None = None
    ledger: tuple[Mapping[str, Any], ...] = ()
    path: tuple[Mapping[str, Any], ...] = ()
    forbidden: tuple[Any, ...] = ()
    replans: int = 0
    saved: float = 0.0
    expires: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, with the name of the layout first."""
        return {"format": FORMAT, **asdict(self)}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write it as one JSON file, synced: whoever reads finds the old one or the new one, whole.

        Only its owner may read it: results may hold secrets, and resuming needs them as they are.

        Raises
        ------
        OSError
            If it cannot be written; the old file is then as it was.
        TypeError, ValueError
            If something in it is no JSON.
        """
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        write_whole(path, text.encode("utf-8"), private=True, synced=True)


def read(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a saved task.

    Raises
    ------
    CheckpointError
        If there is none, or it is no whole checkpoint of this layout.
    """
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CheckpointError(f"{path}: not a whole JSON file: {error}") from error
    found = data.pop("format", None) if isinstance(data, dict) else None
    if found != FORMAT:
        raise CheckpointError(f"{path}: its format is {found!r}, not {FORMAT!r}")
    try:
        listed = ("results", "unconfirmed", "conditions", "ledger", "path", "forbidden")
        values: dict[str, Any] = {k: tuple(v) if k in listed else v for k, v in data.items()}
        return Checkpoint(**values)
    except TypeError as error:
        raise CheckpointError(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class Resumed:
    """A task that goes on: the same id, what is left of its budget, its side effects.

    The machine stands where the checkpoint left it if that is no end: a person's answer moves it
    on from `waiting_human`. After an end a new machine runs; the old path is in the checkpoint.
    """

    task: str
    machine: Machine
    budget: Budget | None
    ledger: Ledger
    checkpoint: Checkpoint


def resume(
    path: str | os.PathLike[str],
    *,
    clock: Callable[[], float] = time.time,
    monotonic: Callable[[], float] = time.monotonic,
) -> Resumed:
    """Take up a saved task again.

    A task that was killed while it was finalizing goes on finalizing. Side effects that were
    unknown are still unknown: the ledger asks to query them before they are run again.

    Parameters
    ----------
    clock, monotonic
        Seconds since the epoch, for the expiry; and the clock of the budget.

    Raises
    ------
    CheckpointError
        If it cannot be read, is completed, or has expired.
    """
    saved = read(path)
    now = clock()
    if saved.state not in STATES:
        raise CheckpointError(f"{path}: there is no state {saved.state!r}")
    if saved.state == "completed":
        raise CheckpointError(f"{path}: the task {saved.task!r} is completed")
    if saved.expires is not None and now >= saved.expires:
        raise CheckpointError(f"{path}: expired; start the task {saved.task!r} anew")
    try:
        ledger = Ledger.from_list(saved.ledger)
        budget = None if saved.budget is None else Budget.from_dict(saved.budget, monotonic)
        ended = saved.state in ("partial", "failed")
        machine = Machine(
            "running" if ended else saved.state,
            [] if ended else [Transition(**step) for step in saved.path],
        )
    except (TypeError, KeyError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
    if saved.state == "finalizing":
        ledger.block()
    return Resumed(saved.task, machine, budget, ledger, saved)
