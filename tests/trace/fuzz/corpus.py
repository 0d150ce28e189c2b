"""The logs that a fuzz run starts from: every sample, every recorded log, a variant or two more."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.trace.fuzz.mutations import Seed

ROOT = Path(__file__).resolve().parents[3]
FORMATS = ROOT / "tests" / "trace" / "formats"
FOLDERS = (
    ROOT / "sample_traces", *(FORMATS / name for name in ("recorded", "examples", "second"))
)  # fmt: skip
SUFFIXES = (".json", ".jsonl", ".eval", ".traj", ".parquet", ".db", ".gz", ".log", ".txt", ".csv")


def seeds() -> dict[str, list[Seed]]:
    """Return the seeds, by format."""
    from agentlens.trace.load import load_many

    found: list[Seed] = []
    for path in sorted(p for folder in FOLDERS for p in folder.rglob("*") if p.is_file()):
        if path.suffix in SUFFIXES:
            name = next(iter(load_many(path, progress=False))).format
            found.append(_seed(name, path.read_bytes()))
    for line in (Path(__file__).parent / "seeds.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        value = record["log"]
        data = json.dumps(value).encode()
        found.append(Seed(record["format"], data, value, isinstance(value, list)))
    found += [_database(found), *_parquet(found)]
    by_format: dict[str, list[Seed]] = {}
    for seed in found:
        by_format.setdefault(seed.format, []).append(seed)
    return by_format


def _seed(name: str, data: bytes) -> Seed:
    try:
        return Seed(name, data, json.loads(data))
    except ValueError:
        pass
    try:
        return Seed(name, data, [json.loads(line) for line in data.splitlines()], lines=True)
    except ValueError:
        return Seed(name, data)


def _database(found: list[Seed]) -> Seed:
    """Return an opencode database that holds what an exported session of it holds."""
    session: Any = next(
        s.value for s in found if s.format == "opencode" and isinstance(s.value, dict)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opencode.db"
        with closing(sqlite3.connect(path)) as link:
            link.executescript(
                "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT,"
                " title TEXT, version TEXT, time_created INTEGER);"
                "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);"
                "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,"
                " data TEXT);"
            )
            link.execute("INSERT INTO session VALUES ('s', NULL, '/w', 't', '1', 1)")
            for m, message in enumerate(session["messages"]):
                text = json.dumps(message["info"])
                link.execute("INSERT INTO message VALUES (?, 's', ?)", (f"m{m}", text))
                for p, part in enumerate(message["parts"]):
                    row = (f"p{m}-{p}", f"m{m}", json.dumps(part))
                    link.execute("INSERT INTO part VALUES (?, ?, 's', ?)", row)
            link.commit()
        return Seed("opencode", path.read_bytes())


def _parquet(found: list[Seed]) -> list[Seed]:
    """Return spans as the frames and files of Phoenix hold them."""
    import pandas as pd

    made = []
    for seed in found:
        if seed.format == "openinference" and seed.lines:
            rows = [_flat(row) for row in seed.value[:20] if isinstance(row.get("context"), dict)]
            out = io.BytesIO()
            try:
                pd.DataFrame(rows).to_parquet(out)
            except (ValueError, TypeError, OverflowError):
                continue
            made.append(Seed("openinference", out.getvalue()))
    return made[:3]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    flat = {f"context.{k}": v for k, v in row.get("context", {}).items()}
    for key, value in row.items():
        flat[key] = json.dumps(value) if isinstance(value, dict | list) else value
    flat.pop("context", None)
    return flat
