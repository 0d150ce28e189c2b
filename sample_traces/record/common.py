"""What the recording scripts share: where files go, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def stamp(seconds: float) -> str:
    """Return the time so many seconds after the start, as Claude Code writes it."""
    moment = START + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def lines(records: Iterable[Any]) -> str:
    """Return records as JSON lines."""
    return "".join(json.dumps(r, ensure_ascii=False, separators=(", ", ": ")) + "\n" for r in records)


def document(value: Any) -> str:
    """Return a value as an indented JSON document."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def listing(*hits: tuple[str, str, str]) -> str:
    """Return search hits (title, address, extract) as a search tool prints them."""
    return "\n".join(f"{n}. {t}\n   {u}\n   {s}" for n, (t, u, s) in enumerate(hits, 1))
