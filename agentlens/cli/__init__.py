"""The command line: `agentlens lab`, `replay`, `report`, `show`, `scan` and the others."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from agentlens import __version__
from agentlens.cli import commands, guards, reports, sweeps
from agentlens.cli.convert import TARGETS
from agentlens.errors import PolicyError, TraceError, printable

__all__ = ["main", "parser"]

_POLICY = "name of a preset, or a policy file (TOML)"


def parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    top = argparse.ArgumentParser(
        prog="agentlens",
        description="See where an agent went in circles, and where it would have been stopped.",
    )
    top.add_argument("--version", action="version", version=f"agentlens {__version__}")
    sub = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    lab = sub.add_parser("lab", help="open JupyterLab on a ready notebook for a trace")
    lab.add_argument("trace", nargs="?", help="log of a run; without it, the story of the incident")
    lab.add_argument(
        "--folder", default=commands.LAB_FOLDER, help="where notebooks go (%(default)s)"
    )
    lab.add_argument("--port", type=int, help="port of the server")
    lab.add_argument("--no-browser", action="store_true", help="print the address only")
    lab.set_defaults(run=commands.lab)

    replay = sub.add_parser("replay", help="say where a policy would have stopped a run")
    replay.add_argument("trace", help="log of a run; - is standard input")
    _policy_options(replay)
    _prices_option(replay)
    replay.add_argument("--lang", choices=["en", "zh"], default="en", help="language of the answer")
    replay.add_argument("--all", action="store_true", help="every round, however many there are")
    replay.add_argument("--json", action="store_true", help="everything, as JSON")
    replay.set_defaults(run=commands.replay)

    show = sub.add_parser("show", help="the calls of a run, round by round")
    show.add_argument("trace", help="log of a run; - is standard input")
    show.add_argument("--thread", metavar="NAME", help="this thread only")
    show.add_argument("--rounds", type=_range, metavar="A-B", help="these rounds, such as 20-40")
    show.add_argument("--all", action="store_true", help="every round, however many there are")
    show.set_defaults(run=commands.show)

    scan = sub.add_parser("scan", help="one row a session, worst first")
    scan.add_argument("folder", help="folder, glob or file of logs")
    _policy_options(scan)
    scan.add_argument("--workers", type=_count, help="processes (default: one a core)")
    scan.add_argument("--json", action="store_true", help="as JSON")
    scan.set_defaults(run=commands.scan)

    _add_others(sub)

    policies = sub.add_parser("policies", help="the presets, and every switch")
    policies.add_argument("--json", action="store_true", help="as JSON")
    policies.set_defaults(run=commands.policies)

    formats = sub.add_parser("formats", help="what is read, and what it was tested against")
    formats.add_argument("--json", action="store_true", help="as JSON")
    formats.set_defaults(run=commands.formats)

    convert = sub.add_parser("convert", help="write a trace in another format")
    convert.add_argument("trace", help="log of a run; - is standard input")
    convert.add_argument("--to", choices=TARGETS, required=True, help="format")
    convert.add_argument(
        "-o", "--output", metavar="FILE", help="file to write (default: standard output)"
    )
    convert.add_argument(
        "--no-redact", action="store_true",
        help="keep secrets, e-mail addresses and names of home folders, which are masked otherwise",
    )  # fmt: skip
    convert.set_defaults(run=commands.convert)
    return top


def _add_others(sub: Any) -> None:
    """Add the commands that have a module of their own."""
    reports.add_parsers(sub, _policy_options, _prices_option)
    guards.add_parsers(sub, _policy_options)
    sweeps.add_parser(sub)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def _range(text: str) -> tuple[int, int | None]:
    first, dash, last = text.partition("-")
    if not (first or last) or not all(part.isdecimal() or not part for part in (first, last)):
        raise argparse.ArgumentTypeError(f"expected rounds such as 20-40, 20- or 7, not {text!r}")
    low = int(first) if first else 0
    high = int(last) if last else None if dash else low
    if high is not None and high < low:
        raise argparse.ArgumentTypeError(f"the first round is after the last: {text!r}")
    return low, high


def _prices_option(of: argparse.ArgumentParser) -> None:
    of.add_argument(
        "--prices", metavar="FILE", help="what models cost, for logs that do not say it (TOML)"
    )


def _policy_options(of: argparse.ArgumentParser) -> None:
    of.add_argument("--policy", metavar="NAME|FILE", help=_POLICY)
    of.add_argument("--similarity", help="when two queries are the same, such as 0.8 or 5/6")
    of.add_argument("--threshold", type=int, help="count at which it trips")
    of.add_argument("--measure", help="containment, jaccard, dice or cosine")
    of.add_argument("--profile", help="token profile, such as classic@1 or safe@1")
    of.add_argument(
        "--search-tool", action="append", default=[], metavar="TOOL",
        help="treat this tool as a search too (can be repeated)",
    )  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0, or 2 with one line on standard error where the input is at fault.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _speak_utf8()
    extra: list[str] = []
    if words[:1] == ["lab"] and "--" in words:  # the rest is for Jupyter
        at = words.index("--")
        words, extra = words[:at], words[at + 1 :]
    args = parser().parse_args(words)
    args.extra = extra
    try:
        if getattr(args, "output", None) == "":
            raise TraceError("-o: the name of the file is empty")
        code: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (TraceError, PolicyError, OSError) as error:
        print(f"agentlens: {printable(_said(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return code


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}"
    return str(error)


def _speak_utf8() -> None:
    """Write UTF-8 whatever the locale, so that Chinese queries survive LANG=C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
