"""MLflow traces: ``Trace.to_json()``, ``traces.json``, rows of ``search_traces``, or a live one.

Facts that it rests on: version 3 keeps ``info.trace_id`` as ``tr-…``, span ids in base64, times in
``start_time_unix_nano`` and each attribute's value as JSON; version 2 keeps ids under ``context``
and ``request_id`` in ``info``; ``mlflow.spanType`` says what a span is; the state of a trace says
whether it crashed, not whether it solved its task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from agentlens.errors import TraceError
from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, text_or_none
from agentlens.trace.formats.span import Raw, loose
from agentlens.trace.formats.span_dialects import interpret
from agentlens.trace.formats.span_records import describe, raw_of
from agentlens.trace.formats.spans import write_spans
from agentlens.trace.source import Document

__all__ = ["NAME", "fetch", "read", "sniff", "split"]

NAME = "mlflow"
SCHEME = "mlflow:"


def _trace(record: Any) -> tuple[Mapping[str, Any], list[Any]] | None:
    """Return what is told of a trace, and its spans; None where a record is no trace."""
    record = mapping(record)
    inner = mapping(loose(record.get("trace"))) or record
    data = mapping(loose(inner.get("data"))) or inner
    spans = loose(data.get("spans"))
    if not isinstance(spans, list):
        return None
    info = mapping(loose(inner.get("info")))
    return {**record, **info} if info else record, spans


def _is_mlflow(span: Mapping[str, Any]) -> bool:
    attributes = mapping(loose(span.get("attributes")))
    return any(str(key).startswith("mlflow.") for key in attributes)


def sniff(head: Sequence[Any]) -> float:
    """Fit: an object with spans, the attributes of which are MLflow's, or its ``info``."""
    first = first_dict(head)
    if any(map(_is_mlflow, dicts(list(head)))):
        return 0.98  # the bare spans
    found = _trace(first)
    if found is None:
        return 0.0
    about, spans = found
    if any(map(_is_mlflow, dicts(spans))):
        return 0.99
    known = {"request_id", "trace_location", "trace_metadata", "request_metadata", "experiment_id"}
    return 0.95 if known & set(about) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace."""
    bare: list[tuple[int, Any]] = []
    for number, record in document.records():
        found = _trace(record)
        if found is None:
            if isinstance(record, Mapping) and raw_of(record, number):
                bare.append((number, record))
            else:
                document.note("skipped", "a record is not an MLflow trace", number)
            continue
        about, spans = found
        name = text_or_none(about.get("trace_id") or about.get("request_id"))
        yield Part(list(enumerate(spans, 1)), document.name, name, about, unit="item")
    if bare:
        yield Part(bare, document.name)


def read(part: Part, build: TraceBuilder) -> None:
    """Read the spans of one trace, and what is told of it."""
    raws: list[Raw] = []
    for number, record in part.records:
        found = raw_of(record, number)
        if found is None:
            build.note("skipped", "a record is not a span", number)
            continue
        raws.append(found[1])
    about = part.about
    facts = {**mapping(loose(about.get("request_metadata"))),
             **mapping(loose(about.get("trace_metadata")))}  # fmt: skip
    spans = [interpret(raw) for raw in raws]
    describe(spans, part, build)
    place = mapping(mapping(about.get("trace_location")).get("mlflow_experiment"))
    experiment = text_or_none(about.get("experiment_id") or place.get("experiment_id"))
    state = text_or_none(about.get("state") or about.get("status"))
    build.describe(
        session_id=text_or_none(facts.get("mlflow.trace.session")),
        format_version=text_or_none(facts.get("mlflow.trace_schema.version")),
        extra={k: v for k, v in (("experiment", experiment), ("state", state)) if v},
    )
    write_spans(spans, build, part)


def fetch(address: str) -> list[dict[str, Any]]:
    """Fetch traces from the MLflow server that the environment names.

    Parameters
    ----------
    address
        ``mlflow:<trace id>``, or ``mlflow:<experiment id>`` for the traces of an experiment.

    Returns
    -------
    list of dict
        Traces as `mlflow.entities.Trace.to_dict` gives them.

    Raises
    ------
    TraceError
        If mlflow is not installed, the server does not answer, or there is no such trace.
    """
    name = address.removeprefix(SCHEME).strip("/ ")
    if not name:
        raise TraceError("names no trace; expected mlflow:<trace or experiment id>", source=address)
    try:
        mlflow = import_module("mlflow")
    except ImportError:
        raise TraceError(
            "needs the package mlflow (or mlflow-skinny): pip install mlflow", source=address
        ) from None
    try:
        client = mlflow.MlflowClient()
        if name.isdecimal():
            traces = list(_search(client, name))
        else:
            found = client.get_trace(name)
            traces = [] if found is None else [found]
        records = [trace.to_dict() for trace in traces]
    except Exception as error:  # the client raises its own, and those of its stores and of HTTP
        words = str(error).strip().splitlines()
        reason = words[0][:300] if words else type(error).__name__
        raise TraceError(f"MLflow does not give it: {reason}", source=address) from None
    if not records:
        raise TraceError("MLflow holds no such trace", source=address)
    return records


def _search(client: Any, experiment: str) -> Iterator[Any]:
    """Yield all traces of an experiment, page by page."""
    token = None
    while True:
        try:
            page = client.search_traces(locations=[experiment], page_token=token)
        except TypeError:  # before version 3.3
            page = client.search_traces(experiment_ids=[experiment], page_token=token)
        yield from page
        token = getattr(page, "token", None)
        if not token:
            return
