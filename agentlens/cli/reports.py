"""`agentlens report` and `agentlens compare`: what a run did, for somebody else to read."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentlens.cli import commands
from agentlens.cli.convert import said_of_secrets
from agentlens.errors import TraceError, printable
from agentlens.trace.redact_trace import showing
from agentlens.trace.whole_file import is_stream

__all__ = ["add_parsers", "compare", "report"]

_KEEP = {
    "action": "store_true",
    "help": "keep secrets, e-mail addresses and names of home folders, which are masked otherwise",
}
STDOUT = "/dev/stdout"  # what `-o -` stands for
_LANG = {"choices": ["en", "zh"], "default": "en", "help": "language of what is written"}


def add_parsers(
    sub: Any, policy_options: Callable[[Any], None], prices_option: Callable[[Any], None]
) -> None:
    """Add both commands to the parser."""
    one = sub.add_parser("report", help="one HTML file that anyone can open")
    one.add_argument(
        "trace", nargs="+", help="log of a run; several, or a folder: a folder of pages is written"
    )
    one.add_argument(
        "-o", "--output", metavar="FILE",
        help="its end says what: .html (report.html), .md, .png, .svg, .pdf, or a folder (reports);"
        " - is standard output",
    )  # fmt: skip
    one.add_argument(
        "--md", action="store_true",
        help="Markdown for an issue tracker; on standard output without -o",
    )  # fmt: skip
    one.add_argument("--lang", **_LANG)
    one.add_argument("--no-redact", **_KEEP)
    policy_options(one)
    prices_option(one)
    one.set_defaults(run=report)

    two = sub.add_parser("compare", help="two runs call by call, or one under two policies")
    two.add_argument("trace", help="log of a run; - is standard input")
    two.add_argument("other", nargs="?", help="log of another run; without it, use --against")
    two.add_argument("--against", metavar="NAME|FILE", help="policy for the second")
    two.add_argument("-o", "--output", metavar="FILE", help="write a page too (.html)")
    two.add_argument("--lang", **_LANG)
    two.add_argument("--no-redact", **_KEEP)
    policy_options(two)
    prices_option(two)
    two.set_defaults(run=compare)


def report(args: Namespace) -> int:
    """Write a report of a run, or of several, and say where."""
    from agentlens.widgets.report.write import is_many, replayed
    from agentlens.widgets.report.write import report as write

    policy, keep = commands.policy_of(args), {"redact": not args.no_redact}
    if args.output == "-":
        args.output = None if args.md else STDOUT
    many = len(args.trace) > 1 or is_many(args.trace[0])
    whole = args.output and (args.output.endswith("/") or Path(args.output).is_dir())
    if many or whole:
        if args.md:
            raise TraceError("--md takes one run")
        from agentlens.trace.load import load_many

        corpus = load_many(args.trace, tools=commands.tools_of(args), prices=args.prices)
        _say(write(corpus, args.output or "reports", policy, lang=args.lang, **keep))
        for source, error in corpus.failures:
            named = error if error.startswith(source) else f"{source}: {error}"
            print(f"agentlens: {printable(named)}", file=sys.stderr)
        _warned(args)
        return 1 if corpus.failures else 0
    args.trace = args.trace[0]
    trace = commands.load_of(args)
    if args.md and args.output is None:
        from agentlens.widgets.report.markdown import markdown

        with showing(**keep):
            sys.stdout.write(markdown(replayed(trace, policy, **keep), lang=args.lang))
        return _warned(args)
    if args.md and Path(args.output).suffix.lower() not in (".md", ".markdown"):
        raise TraceError("--md writes a .md file", source=args.output)
    _say(write(trace, args.output or "report.html", policy, lang=args.lang, **keep))
    return _warned(args)


def _say(path: Path) -> None:
    """Print where something was written, unless it was written to where this would stand too."""
    if not is_stream(path):
        print(path)


def _warned(args: Namespace) -> int:
    """Say on standard error that secrets stand in what was written, where they do."""
    if args.no_redact:
        print(said_of_secrets({}, redact=False), file=sys.stderr)
    return 0


def compare(args: Namespace) -> int:
    """Print how two runs stand beside each other; write the page where one is asked for."""
    from agentlens.figures.compare.result import compare as compared
    from agentlens.widgets.plain import one_line
    from agentlens.widgets.report.compare_text import compare_lines
    from agentlens.widgets.report.write import kept
    from agentlens.widgets.report.write import report as write

    policy, against = commands.policy_of(args), None
    if args.against is not None:
        against = commands.policy_of(Namespace(**{**vars(args), "policy": args.against}))
    elif args.other is None:
        raise TraceError("give two runs, or one and --against a policy")
    first = commands.load_of(args)
    second = None
    if args.output == "-":
        raise TraceError("-o -: the text stands on standard output; name a file for the page")
    if args.other is not None:
        second = commands.load_of(Namespace(**{**vars(args), "trace": args.other}))
    made = compared(first, second, policy, against)
    written = None
    if args.output:  # before the text: its reader may leave early, as `head` does
        written = write(made, args.output, lang=args.lang, redact=not args.no_redact)
    with showing(redact=not args.no_redact):
        shown = made if not args.no_redact else kept(made)
        for line in shown.text(args.lang).splitlines():
            print(line[: len(line) - len(line.lstrip())] + one_line(line))
        print()
        for line in compare_lines(shown, args.lang):
            print(line)
    if written:
        _say(written)
    return _warned(args)
