"""Many policies over many runs: all cores or a cluster, restartable, the same file every time."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from agentlens.breaker.policy import Policy, as_policy
from agentlens.errors import PolicyError
from agentlens.thresholds.engines import ENGINES, work
from agentlens.thresholds.runs import Run, run_of
from agentlens.trace.folder import expand
from agentlens.trace.labels import label_of
from agentlens.trace.load import load_many

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["sweep", "sweep_file"]

#: Columns of the results, in order: the file, the run within it, the policy, then those of `Run`.
COLUMNS = ("file", "run", "policy", "error", *Run.__dataclass_fields__)
_WHOLE = ("run", "onset", "rounds", "trip_round", "saved_rounds", "saved_tokens", "last_round",
          "delay", "duplicates", "duplicates_without", "facts", "kept")  # fmt: skip
_PARTS = ("saved_seconds", "saved_cost", "round_seconds", "round_tokens", "round_cost")
_FLAGS = ("stopped", "harmful", "waits", "resumable", "recovered")


def sweep_file(file: str, policies: Sequence[tuple[str, Policy]]) -> list[dict[str, Any]]:
    """Return one row a run of a file and policy, one trace in memory at a time.

    What cannot be read is a row with an error: it stops nothing else.
    """
    rows: list[dict[str, Any]] = []
    number = 0
    try:
        runs = load_many([file], progress=False, workers=1)
        for number, trace in enumerate(runs, 1):
            mark = label_of(trace)
            for name, policy in policies:
                row = run_of(trace, mark, policy, number).to_dict()
                rows.append({"file": file, "run": number, "policy": name, "error": None, **row})
            trace.cache.clear()
        failures = runs.failures
    except Exception as error:  # one file must not cost the others
        failures = [(file, f"{type(error).__name__}: {error}")]
    for source, text in failures:
        said = " ".join(text.split())
        rows.append({"file": file, "run": number + 1, "policy": "", "error": said,
                     "source": source})  # fmt: skip
    return rows


def sweep(
    corpus: Any,
    policies: Sequence[Policy | str] | None = None,
    output: str | os.PathLike[str] | None = None,
    *,
    engine: str = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Replay policies over every run of a folder and return one row a run and policy.

    Parameters
    ----------
    corpus
        What `agentlens.load_many` takes that has a name: a folder, a glob, a file, an address such
        as ``s3://bucket/runs``, a list of these.
    policies
        Policies or names of presets; the default policy where none is given.
    output
        A Parquet file (or ``.csv``) to write, which may be an address. Beside it lies a folder
        ``<output>.parts`` while the sweep runs: files that are done are not done again after a
        crash. It is taken away at the end.
    engine
        ``local``: the cores of this machine. ``dask``: a cluster; needs the extra ``dask``.
    scheduler
        The address of the cluster's scheduler, such as ``tcp://10.0.0.1:8786``.
    workers
        Processes; default one a core.
    progress
        Show a progress bar where there is someone to see it.

    Returns
    -------
    pandas.DataFrame
        In the order of files, runs and policies, whichever engine did what when: the written file
        is the same bit for bit.

    Raises
    ------
    TraceError
        If there is no such folder.
    PolicyError
        If there is no such policy, or no such engine.
    """
    if engine not in ENGINES:
        raise PolicyError(f"engine: {engine!r} is none of {', '.join(ENGINES)}")
    named = _named(policies)
    files = [os.fspath(file) for file in expand(corpus)[0]]
    store = None if output is None else _Parts(os.fspath(output), named)
    done = {file: rows for file in files if store and (rows := store.read(file)) is not None}
    todo = [file for file in files if file not in done]
    one = partial(sweep_file, policies=named)
    for file, rows in work(one, todo, engine, scheduler, workers, progress):
        done[file] = rows
        if store:
            store.write(file, rows)
    frame = _frame(row for file in files for row in done[file])
    if store:
        store.finish(frame)
    return frame


def _named(policies: Sequence[Policy | str] | None) -> list[tuple[str, Policy]]:
    """Return policies with names that tell them apart."""
    found: list[tuple[str, Policy]] = []
    for place, given in enumerate(policies or [Policy()]):
        policy = as_policy(given)
        name = given if isinstance(given, str) else f"{policy.name} {place + 1}"
        found.append((name, policy))
    return found


def _frame(rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(COLUMNS))
    kinds = dict.fromkeys(_WHOLE, "Int64") | dict.fromkeys(_PARTS, "Float64")
    return frame.astype(kinds | dict.fromkeys(_FLAGS, "boolean"))


class _Parts:
    """Finished files beside the output, one JSON file each, and the output itself."""

    def __init__(self, output: str, named: list[tuple[str, Policy]]) -> None:
        import fsspec

        self.fs, self.path = fsspec.core.url_to_fs(os.path.expanduser(output))  # noqa: PTH111
        self.folder = f"{self.path}.parts"
        told = [(name, policy.to_dict()) for name, policy in named]
        self.key = json.dumps(told, sort_keys=True, default=str)

    def _part(self, file: str) -> str:
        """Return the name of a file's part: other policies or a changed file have another."""
        stamp: Any = None
        if os.path.isfile(file):  # noqa: PTH113
            stat = os.stat(file)  # noqa: PTH116
            stamp = [stat.st_size, stat.st_mtime_ns]
        text = json.dumps([file, stamp, self.key])
        name = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"{self.folder}/{name}.json"

    def read(self, file: str) -> list[dict[str, Any]] | None:
        """Return the rows of a file that is done, or None."""
        try:
            with self.fs.open(self._part(file), "rb") as stream:
                rows: list[dict[str, Any]] = json.loads(stream.read())
        except (OSError, ValueError):  # none, or half of one
            return None
        return rows

    def write(self, file: str, rows: list[dict[str, Any]]) -> None:
        """Keep the rows of a file; whole, or not at all."""
        self.fs.makedirs(self.folder, exist_ok=True)
        part = self._part(file)
        with self.fs.open(f"{part}.new", "wb") as stream:
            stream.write(json.dumps(rows).encode())
        self.fs.mv(f"{part}.new", part)

    def finish(self, frame: pd.DataFrame) -> None:
        """Write the output, whole or not at all, then take the parts away."""
        with self.fs.open(f"{self.path}.new", "wb") as stream:
            if self.path.endswith(".csv"):
                frame.to_csv(stream, index=False)
            else:
                frame.to_parquet(stream, index=False, engine="pyarrow")
        self.fs.mv(f"{self.path}.new", self.path)
        if self.fs.exists(self.folder):
            self.fs.rm(self.folder, recursive=True)
