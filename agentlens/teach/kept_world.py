"""The made-up runs as one file that comes with agentlens, and the script that writes it.

`python -m agentlens.teach.kept_world` writes it again from its seed. One row a run: its id, task,
label and onset, and its rounds in the plain format, so that `agentlens.load_many` reads it as any
other file of many.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentlens.errors import TraceError
from agentlens.teach.world import corpus, records
from agentlens.trace.corpus import Corpus
from agentlens.trace.load import load_many

__all__ = ["PATH", "RUNS", "SEED", "kept_corpus", "write_world"]

#: The file, how many runs it holds, and the seed that made them.
PATH, RUNS, SEED = Path(__file__).with_name("world.parquet"), 360, 1


def kept_corpus() -> Corpus:
    """Return the labelled runs that come with agentlens.

    They are read from the file where the package pyarrow is installed (the extra ``parquet``), and
    made anew from their seed where it is not: the runs are the same.
    """
    if find_spec("pyarrow") is None:
        return corpus(RUNS, SEED)
    return _read()


@lru_cache(maxsize=1)
def _read() -> Corpus:
    made = list(load_many(PATH, progress=False).labelled())
    return Corpus([trace for trace, _ in made], labels=[label for _, label in made])


def write_world(path: Path | str = PATH, runs: int = RUNS, seed: int = SEED) -> int:
    """Write made-up runs as one Parquet file, and return its size in bytes.

    Parameters
    ----------
    path
        Where to.
    runs, seed
        As for `corpus`.

    Raises
    ------
    TraceError
        If the package pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise TraceError("writing Parquet needs the package pyarrow", source=str(path)) from None
    row = {
        "role": pa.string(), "round": pa.int32(), "tool": pa.string(), "args": pa.string(),
        "result": pa.string(), "error": pa.bool_(), "text": pa.string(), "seconds": pa.float64(),
        "tokens": pa.int32(), "cost": pa.float64(),
    }  # fmt: skip
    run = {"id": pa.string(), "task": pa.string(), "label": pa.string(), "onset": pa.int32()}
    kind = pa.schema([*run.items(), ("trace", pa.list_(pa.struct(list(row.items()))))])
    table = pa.Table.from_pylist(list(_rows(runs, seed)), schema=kind)
    parquet.write_table(table, path, compression="zstd")
    return Path(path).stat().st_size


def _rows(runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the runs; arguments differ from tool to tool, so a cell holds them as JSON."""
    for record in records(runs, seed):
        rounds = [
            {**row, "args": json.dumps(row["args"], ensure_ascii=False)} if "args" in row else row
            for row in record["trace"]
        ]
        yield {**record, "onset": record["onset"] or 0, "trace": rounds}


if __name__ == "__main__":
    print(write_world(sys.argv[1] if sys.argv[1:] else PATH), "bytes")
