"""`load` and `load_many`: from whatever a user points at to traces."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from agentlens.errors import TraceError
from agentlens.trace.build import TraceBuilder
from agentlens.trace.collector import no_collection
from agentlens.trace.corpus import Corpus
from agentlens.trace.document import Document
from agentlens.trace.folder import expand, session_file
from agentlens.trace.formats import Format, Part
from agentlens.trace.many_files import read_all
from agentlens.trace.model import Trace
from agentlens.trace.prices import PriceTable, price_table
from agentlens.trace.progress_bar import progress_bar, tell_failures
from agentlens.trace.sniff import detect
from agentlens.trace.source import copy_of, open_document
from agentlens.trace.tools import check_tools

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["load", "load_many"]


def load(
    source: Any,
    *,
    format: str | None = None,
    tools: Mapping[str, ToolSpec] | None = None,
    prices: Any = None,
) -> Trace:
    """Read one recorded run.

    Parameters
    ----------
    source
        A path, an fsspec URL (``s3://…``), a file object, a list of dicts (the plain format, or
        messages), one dict, a DataFrame (plain columns, or a frame from `Trace.calls`), or the
        folder of one Claude Code session.
    format
        One of `agentlens.trace.formats.FORMATS`; default: told by the shape of the records.
    tools
        What tools do, where the table is wrong or does not know them: ``{"lookup": "search"}``,
        or ``{"lookup": ("search", "argument that holds the query")}``.
    prices
        What models cost, for logs that do not say it; see `Trace.with_prices`.

    Returns
    -------
    Trace
        Its ``notes`` say what was skipped, guessed or found damaged.

    Raises
    ------
    TraceError
        If the source cannot be read or holds no trace; one line that names the source, the line
        where there is one, and what was expected. A source that holds many traces says how many.

    Examples
    --------
    >>> import agentlens as al
    >>> trace = al.load([{"round": 1, "tool": "web_search", "args": {"query": "weather"}}])
    >>> trace.calls["query"][0]
    'weather'
    """
    if isinstance(source, str) and not source:  # a frame is not compared with a text
        raise TraceError("the name of the log is empty")
    with closing(open_document(session_file(source) if _is_folder(source) else source)) as document:
        reader, remark = detect(document, format)
        parts = iter(reader.split(document))
        first = next(parts, None)
        if first is None:
            raise document.error("holds no trace")
        second = next(parts, None)
        if second is not None:
            count = 2 + sum(1 for _ in parts)
            raise document.error(f"holds {count} traces; use agentlens.load_many to read them")
        trace = _read(reader, document, first, remark, tools)
    return trace if prices is None else trace.with_prices(prices)


def load_many(
    source: Any,
    *,
    format: str | None = None,
    tools: Mapping[str, ToolSpec] | None = None,
    prices: Any = None,
    progress: bool = True,
    workers: int | None = None,
) -> Corpus:
    """Read many recorded runs, lazily.

    Parameters
    ----------
    source
        A file that holds many, a folder (walked), a glob pattern, an fsspec URL or glob, or a
        list of any of these.
    format, tools, prices
        As for `load`.
    progress
        Show a progress bar, where there are more than a handful of files and someone to see it;
        and, when all were read, which files could not be.
    workers
        Processes that read at once; traces still come in the order of files. Default: one a core
        once it is seen that they save time, else none beside this one.

    Returns
    -------
    Corpus
        Iterating yields traces. What cannot be read in a folder, a glob or a list is put into its
        ``failures`` and never fatal.

    Raises
    ------
    TraceError
        If there is no such file or folder. A single file that cannot be read raises when the
        corpus is iterated.
    """
    check_tools({} if tools is None else tools)
    files, alone = expand(source)
    if alone and hasattr(source, "read"):  # a stream is read once, a corpus as often as wanted
        files = [copy_of(source)]

    table = None if prices is None else price_table(prices)
    read = partial(_traces_of, format=format, tools=tools, prices=table, alone=alone)

    def traces(failures: list[tuple[str, str]]) -> Iterator[Trace]:
        ticks = iter(progress_bar(files, progress))
        found = read_all(read, files, workers, failures)
        try:
            for _, trace in found:
                if trace is None:
                    next(ticks, None)
                else:
                    yield trace
        finally:
            if isinstance(ticks, Generator):
                ticks.close()  # takes the bar away
            found.close()  # and ends the workers
        if progress:
            tell_failures(failures, len(files))

    return Corpus(traces)


def _traces_of(
    file: Any,
    failures: list[tuple[str, str]],
    *,
    format: str | None,
    tools: Mapping[str, ToolSpec] | None,
    prices: PriceTable | None,
    alone: bool,
) -> Iterator[Trace]:
    """Yield the traces of one file of a corpus."""
    try:
        document = open_document(file() if callable(file) else file)
    except TraceError as error:
        if alone:
            raise
        failures.append((_name(file), str(error)))
        return
    with closing(document):
        for trace in _each(document, format, tools, failures, alone):
            yield trace if prices is None else trace.with_prices(prices)


def _each(
    document: Document,
    format: str | None,
    tools: Mapping[str, ToolSpec] | None,
    failures: list[tuple[str, str]],
    alone: bool,
) -> Iterator[Trace]:
    """Yield the traces of one document; one that cannot be read does not stop the others."""
    try:
        reader, remark = detect(document, format)
        parts = iter(reader.split(document))
        first, second = next(parts, None), next(parts, None)
        if first is None:
            raise document.error("holds no trace")
        many = second is not None
        for number, part in enumerate(chain([first], [second] if second else [], parts), 1):
            where = f"{document.name}#{part.name or number}" if many and document.name else None
            try:
                yield _read(reader, document, part, remark, tools, where)
            except TraceError as error:
                if alone and not many:
                    raise
                failures.append((where or _name(document.name), str(error)))
    except TraceError as error:
        if alone:
            raise
        failures.append((_name(document.name), str(error)))


def _read(
    reader: Format,
    document: Document,
    part: Part,
    remark: str | None,
    tools: Mapping[str, ToolSpec] | None,
    where: str | None = None,
) -> Trace:
    build = TraceBuilder(reader.NAME, where or document.name)
    if remark:
        build.note("info", remark)
    try:
        with no_collection():
            reader.read(part, build)
            trace = build.finish(tools)
    except RecursionError:
        raise document.error("a value is nested too deeply") from None
    return (
        replace(trace, notes=(*document.notes.values(), *trace.notes)) if document.notes else trace
    )


def _is_folder(source: Any) -> bool:
    if not isinstance(source, str | os.PathLike) or "://" in str(source):
        return False
    return os.path.isdir(os.path.expanduser(os.fspath(source)))  # noqa: PTH111, PTH112


def _name(source: Any) -> str:
    return str(source) if isinstance(source, str | os.PathLike) else f"a {type(source).__name__}"
