"""A trace as one Parquet file that loses nothing; `tables` reads it again."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from agentlens.errors import TraceError
from agentlens.trace.columns import COLUMNS
from agentlens.trace.redact_trace import leaving
from agentlens.trace.whole_file import write_whole

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = [
    "FLAGS", "KEY", "NUMBERS", "PARSED", "VERSION", "WHOLE", "tables_of", "to_parquet",
    "write_parquet",
]  # fmt: skip

VERSION = 1
#: Name of the file's metadata under which stands what no row holds.
KEY = b"agentlens"
#: Columns by what their cells are; all others hold text.
WHOLE = frozenset(
    "round request input_tokens cached_tokens cache_write_tokens output_tokens reasoning_tokens "
    "tokens line call round_row order exit_code after_row".split()
)
NUMBERS = frozenset("started seconds cost".split())
FLAGS = frozenset("abandoned copied injected hidden id_generated truncated".split())
PARSED = frozenset("args queries parts".split())


def to_parquet(trace: Trace) -> bytes:
    """Return the trace as the bytes of a Parquet file.

    Parameters
    ----------
    trace
        The trace; nothing in it is masked.

    Raises
    ------
    TraceError
        If the package pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    names = list(dict.fromkeys(c for columns in COLUMNS.values() for c in columns))
    tables = trace.tables
    labels = [name for name in COLUMNS for _ in next(iter(tables[name].values()))]
    arrays, as_text = [arrow.array(labels, arrow.string())], []
    kinds = {
        **dict.fromkeys(WHOLE, arrow.int64()), **dict.fromkeys(NUMBERS, arrow.float64()),
        **dict.fromkeys(FLAGS, arrow.bool_()),
    }  # fmt: skip
    for name in names:
        cells = [
            cell for table in COLUMNS for cell in tables[table].get(name) or _blank(trace, table)
        ]
        if name in PARSED:
            cells = [None if cell is None else _json(cell) for cell in cells]
        try:
            arrays.append(arrow.array(cells, kinds.get(name, arrow.string())))
        except (arrow.ArrowException, OverflowError, TypeError):  # whole numbers over 64 bits
            arrays.append(arrow.array([None if c is None else _json(c) for c in cells]))
            as_text.append(name)
    meta = {f: v for f, v in asdict(trace.meta).items() if f != "source"}
    about = {
        "version": VERSION, "meta": meta, "notes": [asdict(note) for note in trace.notes],
        "tools": dict(trace.tools), "as_text": as_text,
    }  # fmt: skip
    made = arrow.Table.from_arrays(arrays, names=["table", *names])
    made = made.replace_schema_metadata({KEY: _json(about).encode()})
    out = io.BytesIO()
    parquet.write_table(made, out, compression="zstd")
    return out.getvalue()


def write_parquet(trace: Trace, path: str | os.PathLike[str], *, redact: bool = True) -> Path:
    """Write the trace as a Parquet file that holds all its tables; return the file's path.

    Parameters
    ----------
    trace, path
        The trace, and the file to write.
    redact
        Mask secrets, e-mail addresses and names of home folders.

    Raises
    ------
    TypeError
        If it is no trace.
    TraceError
        If the package pyarrow is not installed.
    OSError
        If the file cannot be written.
    """
    target = Path(path).expanduser()
    write_whole(target, to_parquet(leaving(trace, "write_parquet", redact=redact)))
    return target


def tables_of(stream: BinaryIO) -> dict[str, Any] | None:
    """Return what a Parquet file of ours holds; None where it is another one's.

    Raises
    ------
    ImportError
        If the package pyarrow is not installed.
    ValueError
        If the file is damaged; pyarrow has its own errors too.
    """
    from pyarrow import parquet

    file = parquet.ParquetFile(stream)
    said = (file.schema_arrow.metadata or {}).get(KEY)
    if said is None or "table" not in file.schema_arrow.names:
        return None
    about = json.loads(said)
    columns = file.read().to_pydict()
    texts = {*PARSED, *(about.get("as_text") or ())}
    for name in texts & columns.keys():
        columns[name] = [None if cell is None else json.loads(cell) for cell in columns[name]]
    rows: dict[str, list[int]] = {name: [] for name in COLUMNS}
    for row, name in enumerate(columns["table"]):
        rows[name].append(row)
    tables = {
        name: {c: [columns[c][row] for row in at] for c in COLUMNS[name] if c in columns}
        for name, at in rows.items()
    }
    return {"agentlens": about, "tables": tables}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise TraceError(
            "Parquet needs the package pyarrow: pip install 'agentlens-jupyter[parquet]'"
        ) from None
    return pyarrow, pyarrow.parquet


def _blank(trace: Trace, table: str) -> list[None]:
    return [None] * len(next(iter(trace.tables[table].values())))


def _json(value: Any) -> str:
    def plain(other: Any) -> Any:
        return dict(other) if isinstance(other, Mapping) else str(other)

    return json.dumps(value, ensure_ascii=False, default=plain)
