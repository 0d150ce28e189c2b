"""Many traces, read one at a time, with what could not be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from agentlens.trace.labels import LABELS, Label, LabelSource, as_label, labeller, write_labels
from agentlens.trace.model import Trace

if TYPE_CHECKING:
    from agentlens.trace.card import Card

__all__ = ["LABELS", "Corpus"]


class Corpus:
    """Traces that are iterated lazily, and as often as wanted.

    Parameters
    ----------
    traces
        A sequence of traces; or a function of one argument that yields them anew each time and
        is given the list in which to put failures as ``(source, error)``.
    labels
        One of ``good``, ``loop`` or ``unknown`` for each trace, in order; or whatever else
        `with_labels` takes. By default what the traces say of themselves: an outcome, a reward,
        a person's label.

    Raises
    ------
    ValueError
        If a label is another one, or their number is not that of the traces.

    Examples
    --------
    >>> import agentlens as al
    >>> trace = al.load([{"round": 1, "tool": "web_search", "args": {"query": "weather"}}])
    >>> corpus = Corpus([trace, trace], labels=["loop", "good"])
    >>> len(corpus), corpus.labels
    (2, ('loop', 'good'))
    """

    def __init__(
        self,
        traces: Iterable[Trace] | Callable[[list[tuple[str, str]]], Iterator[Trace]],
        labels: LabelSource | None = None,
    ):
        self._make = traces if callable(traces) else None
        self._traces = None if callable(traces) else tuple(traces)
        self._length = None if self._traces is None else len(self._traces)
        #: What could not be read in the latest iteration: ``(source, error text)``.
        self.failures: list[tuple[str, str]] = []
        if not (
            labels is None or callable(labels) or isinstance(labels, Mapping | str | os.PathLike)
        ):
            labels = tuple(as_label(one) for one in labels)
            if self._length not in (None, len(labels)):
                raise ValueError(f"{len(labels)} labels for {self._length} traces")
        self._labelling = labels
        self._label = labeller(labels)
        self._marks: tuple[Label, ...] | None = None

    def __iter__(self) -> Iterator[Trace]:
        """Yield the traces; `failures` is filled anew."""
        if self._traces is not None:
            yield from self._traces
            return
        assert self._make is not None
        failures: list[tuple[str, str]] = []
        self.failures = failures
        number = 0
        for number, trace in enumerate(self._make(failures), 1):  # noqa: B007
            yield trace
        self._length = number

    def __len__(self) -> int:
        """Return the number of traces; of a lazy corpus only once it was iterated to its end.

        Raises
        ------
        TypeError
            Before that: ``list(corpus)`` asks for the length first, and must not read every file
            twice. `count` reads them.
        """
        if self._length is None:
            raise TypeError("a lazy corpus has no length before it was iterated; use count()")
        return self._length

    def __length_hint__(self) -> int:
        return self._length or 0

    def count(self) -> int:
        """Return the number of traces; those of a lazy corpus are read once to count them."""
        if self._length is None:
            for _ in self:
                pass
        return len(self)

    def __getitem__(self, index: int) -> Trace:
        """Return one trace; of a lazy corpus those before it are read again."""
        if self._traces is not None:
            return self._traces[index]
        if index < 0:
            index += self.count()
        for trace in islice(iter(self), index, None) if index >= 0 else ():
            return trace
        raise IndexError("the corpus holds fewer traces")

    def labelled(self) -> Iterator[tuple[Trace, Label]]:
        """Yield each trace with what it is known to be; those of a lazy corpus are read once.

        Raises
        ------
        ValueError
            If there are more traces than labels.
        """
        marks: list[Label] = []
        for place, trace in enumerate(self):
            if self._marks is not None and place < len(self._marks):
                one = self._marks[place]
            elif isinstance(self._labelling, tuple) and place >= len(self._labelling):
                raise ValueError(f"{len(self._labelling)} labels for more traces than that")
            else:
                one = self._label(place, trace)
            marks.append(one)
            yield trace, one
        self._marks = tuple(marks)

    @property
    def marks(self) -> tuple[Label, ...]:
        """What each trace is known to be, in order; a lazy corpus is read for it, once."""
        if self._marks is None:
            for _ in self.labelled():
                pass
        assert self._marks is not None
        return self._marks

    @property
    def labels(self) -> tuple[str, ...]:
        """Label of each trace, in order."""
        return tuple(one.label for one in self.marks)

    def with_labels(self, labels: LabelSource | None) -> Corpus:
        """Return the same traces with labels.

        Parameters
        ----------
        labels
            One for each trace, in order, a word or a `Label`; a mapping from a trace's source, id
            or file name; the path of a CSV file with columns ``trace`` and ``label``, and perhaps
            ``onset`` and ``task``; a function of the trace; or None: what the traces say.

        Raises
        ------
        TraceError
            If a CSV file cannot be read, with the line.
        ValueError
            If a label is none of good, loop, unknown.
        """
        source = self._make if self._make is not None else self._traces
        assert source is not None
        return Corpus(source, labels)

    def save_labels(self, path: str | os.PathLike[str]) -> None:
        """Write the labels to a CSV file that `with_labels` takes.

        Parameters
        ----------
        path
            The file; one that is there is replaced.
        """
        write_labels(path, self.labelled())

    def card(self) -> Card:
        """Return what there is and what is missing: runs, labels, tools, languages, times."""
        from agentlens.trace.card import card_of

        return card_of(self)

    def __repr__(self) -> str:
        size = "lazy" if self._length is None else f"{self._length} traces"
        failed = f", {len(self.failures)} failures" if self.failures else ""
        return f"Corpus({size}{failed})"
