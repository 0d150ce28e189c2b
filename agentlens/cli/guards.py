"""The subcommands about guards: `loopset` and `shadow`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentlens.errors import PolicyError, amount

__all__ = ["add_parsers", "loopset", "shadow"]


def add_parsers(sub: Any, policy_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Add the parsers of these subcommands."""
    one = sub.add_parser("loopset", help="play eight loops and five good runs under a guard")
    one.add_argument(
        "--guard", metavar="MODULE:CALLABLE",
        help="your own guard: called with the calls of a round and the rounds so far",
    )  # fmt: skip
    one.add_argument("--json", action="store_true", help="as JSON")
    policy_options(one)
    one.set_defaults(run=loopset)

    two = sub.add_parser("shadow", help="what enforcing would have done, and whether to switch")
    two.add_argument("folder", help="folder, glob or file of logs, or a guard's record")
    two.add_argument("--against", metavar="FOLDER", help="the runs on which the policy was set")
    two.add_argument("--labels", metavar="FILE", help="which runs are good (CSV)")
    two.add_argument("--max-false-stops", type=float, default=0.05, metavar="SHARE",
                     help="share of good runs that may be stopped (%(default)s)")  # fmt: skip
    two.add_argument("--confidence", type=float, default=0.9, help="%(default)s")
    two.add_argument("--once", action="store_true", help="looked at once, at a fixed time")
    two.add_argument("--json", action="store_true", help="as JSON")
    policy_options(two)
    two.set_defaults(run=shadow)


def loopset(args: Namespace) -> int:
    """Play the loop test set; 1 where a scenario does not go as it must."""
    from agentlens.cli.commands import policy_of
    from agentlens.cli.output import print_json
    from agentlens.teach.loopset import LoopSet
    from agentlens.teach.loopset import loopset as played
    from agentlens.widgets.plain import table

    if args.guard is not None and args.policy is not None:
        raise PolicyError("--guard and --policy: name one of them")
    if args.policy is None:
        args.policy = "layered"
    made: LoopSet = played(policy_of(args)) if args.guard is None else _own(args.guard, played)
    if args.json:
        print_json(made.to_dict())
        return 0 if made.passed else 1
    heads = ["", "what happens", "must end", "ends", "steps in", "by", "twice", "kept", "resumed"]
    rows = [
        (
            f"{'ok' if one.passed else 'NO'} {one.name}", one.title, one.expected, one.terminal,
            _said(one.detected), _said(one.latest), str(one.duplicates),
            f"{one.kept}/{one.found}", {None: "", True: "completed", False: "no"}[one.recovered],
        )
        for one in made.played
    ]  # fmt: skip
    print(f"guard: {made.guard}")
    print("\n".join(table(heads, rows, limits={"what happens": 48})))
    print()
    print("\n".join(f"{name:<18}{metric}" for name, metric in made.metrics.items()))
    return 0 if made.passed else 1


def shadow(args: Namespace) -> int:
    """Print what enforcing would have done."""
    from agentlens.cli.commands import policy_of
    from agentlens.cli.output import print_json
    from agentlens.thresholds.shadow import shadow_report
    from agentlens.trace.redact import redact
    from agentlens.widgets.plain import table

    for name in ("max_false_stops", "confidence"):
        if not 0 < getattr(args, name) < 1:
            raise PolicyError(f"--{name.replace('_', '-')}: not between 0 and 1")
    made = shadow_report(
        args.folder, policy_of(args), labels=args.labels, against=args.against,
        max_false_stops=args.max_false_stops, confidence=args.confidence,
        looks="once" if args.once else "any",
    )  # fmt: skip
    if args.json:
        told = made.to_dict()
        told["runs"] = [{**one, "reason": redact(one["reason"])} for one in told["runs"]]
        print_json(told)
        return 0
    heads = ["run", "label", "rounds", "would stop", "logged", "saves", "loses", "rule"]
    rows = [
        (one.source, one.label, one.rounds, _said(one.would_stop), _said(one.logged),
         amount(one.saved_rounds, "round"), "yes" if one.harmful else "", one.rule)
        for one in made.stopped
    ]  # fmt: skip
    if rows:
        print("\n".join(table(heads, rows, right=["rounds"], limits={"run": 60})))
        print()
    print(made)
    for source, error in made.failures:
        print(f"not read: {source}: {error}", file=sys.stderr)
    return 0


def _said(number: int | None) -> str:
    return "" if number is None else f"round {number}"


def _own(name: str, played: Callable[..., Any]) -> Any:
    """Play the loop test set under the user's own guard, and say where that fails."""
    guard = _named(name)
    try:
        return played(guard)
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(at.filename).name}, line {at.lineno}"
        raise PolicyError(f"--guard {name}: {type(error).__name__}: {error} ({where})") from error


def _named(name: str) -> Callable[..., Any]:
    """Return the callable that ``module:name`` names, from the current folder too."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise PolicyError(f"--guard {name}: expected MODULE:CALLABLE")
    if (here := os.getcwd()) not in sys.path:  # noqa: PTH109 - as Python itself has it there
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever the user's module raises while it is imported
        raise PolicyError(f"--guard {name}: {error}") from error
    if not callable(found):
        raise PolicyError(f"--guard {name}: it cannot be called")
    return found  # type: ignore[no-any-return]
