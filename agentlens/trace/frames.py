"""The trace's tables as pandas frames, with the columns that are only worth computing there."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import orjson
import pandas as pd

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["fingerprint", "frame", "records_of"]

#: Columns in which a missing value is NaN, so that they can be added up.
_NUMERIC = frozenset(
    "started seconds input_tokens cached_tokens cache_write_tokens output_tokens reasoning_tokens "
    "cost tokens exit_code".split()
)


def fingerprint(value: Any) -> str:
    """Return the first 16 hex digits of the SHA-256 of a value's canonical JSON (keys sorted)."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
    try:
        data = orjson.dumps(value, default=str, option=options)
    except (
        TypeError,
        orjson.JSONEncodeError,
    ):  # lone surrogates, integers over 64 bits, deep nesting
        try:
            data = repr(value).encode("utf-8", "surrogatepass")
        except RecursionError:  # a value of the caller's own making
            data = b"nested too deeply"
    return hashlib.sha256(data).hexdigest()[:16]


def _series(name: str, cells: list[Any]) -> pd.Series[Any]:
    series = pd.Series(cells, dtype=object)
    return pd.to_numeric(series) if name in _NUMERIC else series.infer_objects()


def frame(trace: Trace, table: str) -> pd.DataFrame:
    """Return a table of the trace as a new frame; object columns keep the log's own values.

    ``calls`` has the columns of `FRAME_COLUMNS` as well.
    """
    key = ("frame", table)
    if key not in trace.cache:
        columns = trace.tables[table]
        made = pd.DataFrame({name: _series(name, cells) for name, cells in columns.items()})
        if table == "calls":
            made["fingerprint"] = [
                fingerprint([tool, args if args is not None else raw])
                for tool, args, raw in zip(
                    columns["tool"], columns["args"], columns["args_raw"], strict=True
                )
            ]
            made["result_bytes"] = [
                len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
                for text in columns["result"]
            ]
            made["result_fingerprint"] = [fingerprint(text) for text in columns["result"]]
        trace.cache[key] = made
    found: pd.DataFrame = trace.cache[key]
    return found.copy()


def records_of(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame as dicts in the plain format; missing cells are left out.

    A frame that came from `Trace.calls` keeps its threads, rounds, arguments, results and times.
    """
    if table.index.name and str(table.index.name) not in map(str, table.columns):
        table = table.reset_index()  # Phoenix keeps the span's id there
    ours = {"call_id", "args", "args_raw", "status", "tool_raw"} <= set(map(str, table.columns))
    names = [str(column) for column in table.columns]
    if ours:
        names_kept = "thread round tool args result started seconds tokens cost".split()
    rows = []
    for cells in table.itertuples(index=False, name=None):
        row = {k: _scalar(v) for k, v in zip(names, cells, strict=True) if not _missing(v)}
        if ours:
            kept = {name: row[name] for name in names_kept if name in row}
            if "args" not in row and "args_raw" in row:
                kept["args"] = row["args_raw"]
            if row.get("status") != "missing":
                kept["error"] = row.get("status") != "ok"
            else:
                kept.pop("result", None)
            row = kept
        if "tool" in names:
            row.setdefault("tool", None)  # a message without a call
        rows.append(row)
    return rows


def _missing(value: Any) -> bool:
    if value is None or value is pd.NaT or value is pd.NA:
        return True
    return not getattr(value, "ndim", 0) and bool(value != value)  # noqa: PLR0124


def _scalar(value: Any) -> Any:
    """Turn a numpy or pandas scalar into Python's own."""
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    if hasattr(value, "tolist"):  # a scalar of numpy, or an array that Parquet keeps in a cell
        return value.tolist()
    return value
