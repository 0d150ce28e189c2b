"""The subcommands about guards: `loopset`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from agentlens.errors import PolicyError

__all__ = ["add_parsers", "loopset"]


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
    made: LoopSet = played(policy_of(args) if args.guard is None else _named(args.guard))
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


def _said(turn: int | None) -> str:
    return "" if turn is None else f"round {turn}"


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
    except (ImportError, AttributeError) as error:
        raise PolicyError(f"--guard {name}: {error}") from error
    if not callable(found):
        raise PolicyError(f"--guard {name}: it cannot be called")
    return found  # type: ignore[no-any-return]
