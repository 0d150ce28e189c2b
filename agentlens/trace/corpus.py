"""Many traces, read one at a time, with what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from agentlens.trace.model import Trace

__all__ = ["LABELS", "Corpus"]

#: What a run can be known to be.
LABELS = ("good", "loop", "unknown")


class Corpus:
    """Traces that are iterated lazily, and as often as wanted.

    Parameters
    ----------
    traces
        A sequence of traces; or a function of one argument that yields them anew each time and
        is given the list in which to put failures as ``(source, error)``.
    labels
        One of ``good``, ``loop`` or ``unknown`` for each trace, in order; default all unknown.

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
        labels: Sequence[str] | None = None,
    ):
        self._make = traces if callable(traces) else None
        self._traces = None if callable(traces) else tuple(traces)
        self._length = None if self._traces is None else len(self._traces)
        #: What could not be read in the latest iteration: ``(source, error text)``.
        self.failures: list[tuple[str, str]] = []
        self._labels = tuple(labels) if labels is not None else None
        for label in self._labels or ():
            if label not in LABELS:
                raise ValueError(f"label {label!r} is none of {', '.join(LABELS)}")
        if self._labels is not None and self._length not in (None, len(self._labels)):
            raise ValueError(f"{len(self._labels)} labels for {self._length} traces")

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

    @property
    def labels(self) -> tuple[str, ...]:
        """Label of each trace, in order."""
        return self._labels if self._labels is not None else ("unknown",) * self.count()

    @property
    def is_lazy(self) -> bool:
        """True where iterating reads files."""
        return self._traces is None

    def with_labels(self, labels: Sequence[str]) -> Corpus:
        """Return the same traces with labels."""
        source = self._make if self._make is not None else self._traces
        assert source is not None
        return Corpus(source, labels)

    def __repr__(self) -> str:
        size = "lazy" if self._length is None else f"{self._length} traces"
        failed = f", {len(self.failures)} failures" if self.failures else ""
        return f"Corpus({size}{failed})"
