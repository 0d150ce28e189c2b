"""What each subcommand does; everything heavy is imported when it is needed."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlens.errors import PolicyError, TraceError, amount

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = [
    "LAB_FOLDER",
    "convert",
    "formats",
    "lab",
    "load_of",
    "policies",
    "policy_of",
    "replay",
    "scan",
    "show",
    "tools_of",
]

#: Where `agentlens lab` puts its notebooks, below the current folder.
LAB_FOLDER = "agentlens-notebooks"


def policy_of(args: Namespace) -> Policy:
    """Return the policy that the options describe.

    Raises
    ------
    PolicyError
        If there is no such preset or file, or a switch cannot hold its value.
    """
    from agentlens.breaker.policy import Policy

    name = args.policy
    if name is None:
        policy = Policy()
    elif name in Policy.presets():
        policy = Policy.preset(name)
    elif Path(name).suffix == ".toml" or Path(name).expanduser().exists():
        policy = Policy.from_toml(name)
    else:
        listed = ", ".join(Policy.presets())
        raise PolicyError(f"{name!r} is no preset ({listed}) and no policy file")
    names = ("similarity", "threshold", "measure", "profile")
    return policy.with_(**{n: v for n in names if (v := getattr(args, n)) is not None})


def tools_of(args: Namespace) -> dict[str, Any] | None:
    """Return what the options say of tools."""
    return dict.fromkeys(args.search_tool, "search") or None


def load_of(args: Namespace) -> Trace:
    """Load the trace that the options name, and note a tool that it does not have."""
    from agentlens.trace.model import Note

    trace = _read(args.trace, tools_of(args), args.prices)
    calls = trace.tables["calls"]
    names = {*calls["tool"], *calls["tool_raw"]}
    strange = [name for name in dict.fromkeys(args.search_tool) if name not in names]
    notes = [Note("info", f"--search-tool {name}: the trace has no such tool") for name in strange]
    return replace(trace, notes=(*trace.notes, *notes)) if notes else trace


def _read(source: str, tools: dict[str, Any] | None = None, prices: str | None = None) -> Trace:
    """Load a trace from a path, or from standard input where that is ``-``."""
    from agentlens.trace.folder import session_file
    from agentlens.trace.load import load

    if not source:
        raise TraceError("the name of the log is empty")
    if source == "-":
        return load(sys.stdin.buffer, tools=tools, prices=prices)
    if Path(source).expanduser().is_dir():
        try:
            source = str(session_file(source))
        except TraceError:
            message = f"is a folder; use: agentlens scan {shlex.quote(source)}"
            raise TraceError(message, source=source) from None
    return load(source, tools=tools, prices=prices)


def replay(args: Namespace) -> int:
    """Print where a policy would have stopped a run."""
    from agentlens.breaker.replay import replay as replayed
    from agentlens.cli.output import print_json, replay_lines
    from agentlens.trace.redact import redacting
    from agentlens.trace.redact_trace import masker_of

    policy = policy_of(args)
    result = replayed(load_of(args), policy)
    if args.json:
        print_json(result.to_dict())
    else:
        with redacting(masker_of(result.trace)):
            for line in replay_lines(result, args.lang, everything=args.all):
                print(line)
    return 0


def show(args: Namespace) -> int:
    """Print the calls of a run."""
    from agentlens.breaker.replay import replay as replayed
    from agentlens.cli.listing import chosen_rounds, listing
    from agentlens.cli.terminal import console, print_listing
    from agentlens.figures.verdict import said_of
    from agentlens.figures.view import view_of
    from agentlens.trace.redact import redacting
    from agentlens.trace.redact_trace import masker_of
    from agentlens.widgets.escape import clean

    trace = _read(args.trace)
    rows = chosen_rounds(trace, args.thread, args.rounds)
    result = replayed(trace)
    threads = len(trace.tables["threads"]["thread"])
    many = f", {threads} threads" if threads > 1 else ""
    total = len(trace.tables["rounds"]["round"])
    with redacting(masker_of(trace)):
        what = f"{amount(len(trace), 'call')} in {amount(total, 'round')}"
        print(f"{clean(trace.name)}: {trace.format}, {what}{many}")
        print(clean(said_of(view_of(result)).verdict))
        for note in trace.notes:
            print(clean(f"note: {note}"))
    print()
    everything = args.all or args.rounds is not None
    print_listing(listing(trace, rows, result, everything=everything), console())
    return 0


def scan(args: Namespace) -> int:
    """Print one row a session."""
    from agentlens.cli.output import print_json
    from agentlens.thresholds.scan import scan_files
    from agentlens.widgets.scan.table import masked, scan_lines

    policy = policy_of(args)
    rows = masked(
        scan_files(args.folder, policy, tools=tools_of(args), progress=True, workers=args.workers)
    )
    if args.json:
        print_json([row.to_dict() for row in rows])
    else:
        for line in scan_lines(rows):
            print(line)
    return 0


def policies(args: Namespace) -> int:
    """Print the presets and every switch."""
    from agentlens.breaker.policy import Policy
    from agentlens.breaker.switches import SWITCHES
    from agentlens.cli.output import print_json
    from agentlens.widgets.plain import table

    presets = {name: Policy.preset(name) for name in Policy.presets()}
    if args.json:
        print_json(
            {name: {**Policy.about(name), **made.to_dict()} for name, made in presets.items()}
        )
        return 0
    listed = []
    for name, policy in presets.items():
        about = Policy.about(name)
        rules = [*(["query"] if policy.query else []), *(rule.name for rule in policy.rules)]
        listed.append(
            (name, about["version"], about["shipped"], about["description"], ", ".join(rules))
        )
    heads = ["preset", "read from", "shipped", "what it is", "rules"]
    wide = {"preset": 21, "read from": 26, "shipped": 8, "what it is": 70, "rules": 70}
    print("\n".join(table(heads, listed, limits=wide)))
    print()
    rows = [(name, str(s.default).lower(), s.values, s.doc) for name, s in SWITCHES.items()]
    limits = {"switch": 20, "default": 12, "may hold": 50, "decides": 110}
    print("\n".join(table(["switch", "default", "may hold", "decides"], rows, limits=limits)))
    return 0


def formats(args: Namespace) -> int:
    """Print what is read: every format, what it can hold, what it was tested against."""
    from agentlens.cli.output import format_lines, print_json
    from agentlens.trace.formats.about import about

    if args.json:
        print_json([facts.to_dict() for facts in about().values()])
    else:
        for line in format_lines(about().values()):
            print(line)
    return 0


def _is_same(source: str, target: str) -> bool:
    """Say whether two names are one file."""
    try:
        return Path(source).expanduser().samefile(Path(target).expanduser())
    except OSError:
        return False


def convert(args: Namespace) -> int:
    """Write a trace in another format."""
    from agentlens.cli.convert import converted, said_of_secrets
    from agentlens.trace.whole_file import write_whole

    if args.output == "-":  # as without it
        args.output = None
    trace = _read(args.trace)
    if args.output and _is_same(args.trace, args.output):
        raise TraceError("is what is read; name another file", source=args.output)
    data, masked = converted(trace, args.to, redact=not args.no_redact)
    if args.output is None:
        if args.to == "parquet" and sys.stdout.isatty():
            raise TraceError("Parquet is binary; name a file with -o FILE")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_whole(Path(args.output).expanduser(), data)
    secrets = said_of_secrets(masked, redact=not args.no_redact)
    where, calls = args.output or "written", amount(len(trace), "call")
    print(f"{where}: {calls}, {args.to}; {secrets}", file=sys.stderr)
    return 0


def lab(args: Namespace) -> int:
    """Open JupyterLab on a ready notebook."""
    from agentlens.lab import notebook_for, open_lab

    notebook = notebook_for(args.trace, Path(args.folder))
    return open_lab(notebook, port=args.port, browser=not args.no_browser, extra=args.extra)
