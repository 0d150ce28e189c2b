"""`agentlens sweep`: many policies over many runs, into one file."""

from __future__ import annotations

import argparse
from argparse import Namespace
from pathlib import Path
from typing import Any

from agentlens.errors import PolicyError, TraceError, amount

__all__ = ["add_parser", "sweep"]


def add_parser(sub: Any) -> None:
    """Add the command's parser."""
    made = sub.add_parser("sweep", help="many policies over many runs, into one file")
    made.add_argument("corpus", help="folder, glob, file or address of logs")
    made.add_argument(
        "--policies", nargs="+", metavar="NAME|FILE", default=["classic"],
        help="presets and policy files (%(default)s)",
    )  # fmt: skip
    made.add_argument(
        "-o", "--output", metavar="FILE", default="results.parquet",
        help="Parquet or .csv, may be an address (%(default)s)",
    )  # fmt: skip
    made.add_argument("--workers", type=_count, help="processes (default: one a core)")
    made.add_argument("--engine", choices=["local", "dask"], default="local", help="%(default)s")
    made.add_argument("--scheduler", metavar="tcp://…", help="of a Dask cluster")
    made.set_defaults(run=sweep)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def sweep(args: Namespace) -> int:
    """Sweep, and say in one line a policy what it found."""
    from agentlens.breaker.policy import Policy
    from agentlens.thresholds.sweep import sweep as sweep_runs

    if args.output == "-":
        raise TraceError("-o -: what was found is said on standard output; name a file")
    if Path(args.output).name in (".csv", ".parquet"):
        raise TraceError("a name is missing before the ending", source=args.output)
    policies: list[Policy | str] = []
    for name in args.policies:
        if name in Policy.presets():
            policies.append(name)
        elif Path(name).suffix == ".toml" or Path(name).expanduser().exists():
            policies.append(Policy.from_toml(name))
        else:
            raise PolicyError(f"{name!r} is no preset and no policy file")
    frame = sweep_runs(
        args.corpus, policies, args.output, engine=args.engine, scheduler=args.scheduler,
        workers=args.workers,
    )  # fmt: skip
    bad = int(frame["error"].notna().sum())
    for name, part in frame[frame["error"].isna()].groupby("policy", sort=False):
        stopped = int(part["stopped"].sum())
        print(f"{name!s}: {stopped:,} of {len(part):,} runs would have been stopped; "
              f"saved: {amount(int(part['saved_rounds'].sum()), 'round')}")  # fmt: skip
    print(f"{args.output}: {len(frame):,} rows" + (f"; not readable: {bad:,}" if bad else ""))
    return 0
