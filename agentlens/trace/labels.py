"""What a run is known to be: good, a loop, or unknown; since when; and at which task.

Labels come from the trace itself (an outcome, a reward, what a person said), from a CSV file, a
function, or by hand. The unit of every share is the task: several runs of one task are one cluster.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from agentlens.errors import TraceError
from agentlens.trace.whole_file import write_whole

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = [
    "LABELS", "Label", "LabelSource", "as_label", "label_of", "labeller", "read_labels",
    "write_labels",
]  # fmt: skip

#: What a run can be known to be.
LABELS = ("good", "loop", "unknown")

#: Words for these in logs and tables of labels.
_WORDS = {
    "good": "good", "ok": "good", "success": "good", "progress": "good", "wait": "good",
    "waiting": "good", "loop": "loop", "looped": "loop", "looping": "loop", "unknown": "unknown",
    "": "unknown", "debatable": "unknown", "failure": "unknown",
}  # fmt: skip
#: Names of labels that say whether a run went in circles: a word of `_WORDS`, or yes and no.
_SAID = ("label", "truth", "task_success")
_LOOPS = ("loop", "looping", "trajectory_looping")


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of one run.

    Attributes
    ----------
    label
        ``good``: it must not be stopped; ``loop``: it should be; ``unknown``.
    onset
        Number of the first round without progress, where someone said so.
    task
        What it worked on: runs with the same task are one cluster. None: a task of its own.
    solved
        Number of the round with which the goal was reached, where the log has rewards.
    source
        Where it comes from: ``outcome``, ``human``, ``csv``, ``function``, ``hand``, or nothing.

    Raises
    ------
    ValueError
        If the label is none of `LABELS`.
    """

    label: str = "unknown"
    onset: int | None = None
    task: str | None = None
    solved: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise ValueError(f"label {self.label!r} is none of {', '.join(LABELS)}")


#: A label for each trace in order; by name; a function of the trace; or the path of a CSV file.
LabelSource: TypeAlias = (
    "Sequence[Label | str] | Mapping[str, Label | str] | "
    "Callable[[Trace], Label | str | None] | str | os.PathLike[str]"
)


def as_label(value: Label | str | None, source: str = "hand") -> Label:
    """Return a label from a label or its word; ``unknown`` from None."""
    if value is None:
        return Label()
    return value if isinstance(value, Label) else Label(value, source=source)


def label_of(trace: Trace) -> Label:
    """Return what a trace says of itself.

    A person's word that it looped goes before the outcome; a solved task is good; a failed one is
    unknown, since most failures are no loops. `solved` is the first round whose reward is 1.
    """
    said, onset, solved, source = "unknown", None, None, ""
    if trace.meta.outcome.get("status") == "success":
        said, source = "good", "outcome"
    for one in trace.meta.labels:
        name, value = one.get("name"), one.get("value")
        if name == "reward" and solved is None and _is_one(value):
            step = one.get("step")
            solved = step if isinstance(step, int) else None
        found = _word(name, value)
        if found is None or found == "unknown":
            continue
        said, source = found, "human"
        at = one.get("onset")
        onset = at if isinstance(at, int) and not isinstance(at, bool) else onset
    given = trace.meta.extra.get("onset")
    if onset is None and isinstance(given, int) and not isinstance(given, bool):
        onset = given
    return Label(said, onset if said == "loop" else None, _task_of(trace), solved, source)


def _is_one(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1


def _word(name: Any, value: Any) -> str | None:
    if name in _LOOPS and isinstance(value, bool | str):
        yes = value if isinstance(value, bool) else value.strip().lower() in ("yes", "true", "loop")
        return "loop" if yes else None
    return _WORDS.get(value.strip().lower()) if name in _SAID and isinstance(value, str) else None


def _task_of(trace: Trace) -> str | None:
    if trace.meta.task:
        return " ".join(trace.meta.task.split())
    events = trace.tables["events"]
    for kind, text in zip(events["kind"], events["text"], strict=True):
        if kind == "user_message" and text and text.strip():
            return " ".join(text.split())
    return None


def labeller(source: LabelSource | None) -> Callable[[int, Trace], Label]:
    """Return a function of place and trace that gives the label; None asks the trace alone.

    A label without a task, onset or solving round keeps those that the trace has.

    Raises
    ------
    TraceError
        If a CSV file cannot be read or holds a word that is no label.
    ValueError
        If a label is none of `LABELS`.
    """
    if source is None:
        return lambda _, trace: label_of(trace)
    if isinstance(source, str | os.PathLike):
        by_name: Mapping[str, Label] = read_labels(source)
        return lambda _, trace: _kept(_named(by_name, trace), trace)
    if isinstance(source, Mapping):
        by_name = {name: as_label(value) for name, value in source.items()}
        return lambda _, trace: _kept(_named(by_name, trace), trace)
    if callable(source):
        return lambda _, trace: _kept(as_label(source(trace), "function"), trace)
    given = tuple(as_label(value) for value in source)
    return lambda place, trace: _kept(given[place], trace)


def _kept(given: Label | None, trace: Trace) -> Label:
    own = label_of(trace)
    if given is None:
        return own
    onset = given.onset if given.onset is not None else own.onset
    return replace(
        given,
        onset=onset if given.label == "loop" else None,
        task=given.task if given.task is not None else own.task,
        solved=given.solved if given.solved is not None else own.solved,
    )


def _named(by_name: Mapping[str, Label], trace: Trace) -> Label | None:
    """Return the label under a trace's whole source, its id, or the last part of its source."""
    for name in (trace.meta.source, trace.meta.trace_id, trace.name):
        if name is not None and name in by_name:
            return by_name[name]
    return None


def read_labels(path: str | os.PathLike[str]) -> dict[str, Label]:
    """Read a CSV file with columns ``trace`` and ``label``, and perhaps ``onset`` and ``task``.

    Raises
    ------
    TraceError
        If it cannot be read, a column is missing, or a word is no label; with the line.
    """
    name = os.fspath(path)
    try:
        with open(os.path.expanduser(name), encoding="utf-8-sig", newline="") as file:  # noqa: PTH111, PTH123
            text = file.read()
    except UnicodeDecodeError as error:
        raise TraceError("is not UTF-8 text", source=name) from error
    except OSError as error:
        raise TraceError(error.strerror or str(error), source=name) from error
    lines = csv.reader(io.StringIO(text, newline=""))
    head = [cell.strip().lower() for cell in next(lines, [])]
    if not {"trace", "label"} <= set(head):
        raise TraceError("expected a CSV file with columns trace and label", source=name, line=1)
    found: dict[str, Label] = {}
    for row in lines:
        if not any(row):
            continue
        cells = dict(zip(head, (cell.strip() for cell in row), strict=False))
        word = _WORDS.get(cells.get("label", "").lower())
        onset = cells.get("onset", "")
        if word is None or not (onset.isdecimal() or not onset):
            said = f"label {cells.get('label')!r}" if word is None else f"onset {onset!r}"
            wanted = ", ".join(LABELS) if word is None else "a round's number"
            raise TraceError(f"{said} is not {wanted}", source=name, line=lines.line_num)
        task = cells.get("task") or None
        found[cells["trace"]] = Label(word, int(onset) if onset else None, task, None, "csv")
    return found


def write_labels(path: str | os.PathLike[str], rows: Iterable[tuple[Trace, Label]]) -> None:
    """Write a CSV file that `labeller` reads: trace, label, onset, task."""
    text = io.StringIO(newline="")
    out = csv.writer(text)
    out.writerow(("trace", "label", "onset", "task"))
    for trace, one in rows:
        name = trace.meta.source or trace.meta.trace_id or trace.name
        onset = "" if one.onset is None else one.onset
        out.writerow((name, one.label, onset, one.task or ""))
    write_whole(path, text.getvalue().encode("utf-8"))
