"""`python -m benchmarks [--quick] [NAME ...]`: run measurements and print a table for each."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

#: Modules with ``run(quick: bool) -> list[dict]``; the harness is none of them.
NAMES = sorted(
    path.stem
    for path in Path(__file__).parent.glob("*.py")
    if path.stem not in ("__init__", "__main__", "lab", "page")
    and "\ndef run(" in path.read_text("utf-8")
)
PACKAGES = (
    "numpy pandas scipy orjson plotly anywidget ipywidgets jupyterlab jupyter_server "
    "SetSimilaritySearch"
).split()


def machine() -> str:
    """Return one line of facts about this machine: figures of two machines do not compare."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip()
            for line in info.read_text().splitlines()
            if "model name" in line
        ]
        cpu = names[0] if names else cpu
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores, {cpu}; Python {platform.python_version()}; {', '.join(versions)}"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as a Markdown table; the columns are the keys, in order of appearance."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns, *([_cell(row.get(c)) for c in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named measurements (all where none is named) and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument(
        "--quick", action="store_true", help="smaller sizes; for a look, not for a claim"
    )
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no measurement {unknown[0]!r}; there are: {', '.join(NAMES)}")
    print(machine(), flush=True)
    for name in options.names or NAMES:
        module = importlib.import_module(f"benchmarks.{name}")
        title = (module.__doc__ or name).strip().splitlines()[0]
        print(f"\n### {name}: {title}\n", flush=True)
        start = time.perf_counter()
        print(table(module.run(options.quick)))
        print(f"\n({time.perf_counter() - start:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
