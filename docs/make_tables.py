"""Write the tables that the code knows better than a page: formats, columns, switches.

`python docs/make_tables.py` rewrites what stands between ``<!-- NAME -->`` and ``<!-- end -->`` in
every page of docs/; `tests/test_docs.py` fails while a page is not what this would write. It also
writes ``recorded.toml`` beside the readers: which library wrote files of which format, from the
table of tests/recorders/README.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

DOCS = Path(__file__).resolve().parent


def _row(*cells: str) -> str:
    return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    return "\n".join([_row(*head), "|" + "---|" * len(head), *(_row(*row) for row in rows)])


def formats() -> str:
    """Return the formats, each in its own words, with what it holds and was tested against."""
    from agentlens.trace.formats.about import about

    rows = (
        (f"`{n}`", f.what.replace("``", "`"), f.by, ", ".join(f.holds) or "—", f.tested)
        for n, f in about().items()
    )
    return _table(("`format`", "what it is", "written by", "can hold", "tested against"), rows)


def columns() -> str:
    """Return one table a table of a trace."""
    from agentlens.trace.model import COLUMNS

    parts = []
    for name, described in COLUMNS.items():
        rows = ((f"`{column}`", text) for column, text in described.items())
        parts.append(f"### `trace.{name}`\n\n{_table(('column', 'what it holds'), rows)}")
    return "\n\n".join(parts)


def switches() -> str:
    """Return every switch of a policy."""
    from agentlens.breaker.switches import SWITCHES

    rows = (
        (f"`{name}`", switch.doc, switch.values, f"`{switch.default}`")
        for name, switch in SWITCHES.items()
    )
    return _table(("switch", "what it decides", "what it may be", "default"), rows)


def profiles() -> str:
    """Return the token profiles, each with what it makes of three queries."""
    from agentlens.progress.text import PROFILES, tokenize

    queries = ("北京今日天气 气温", "C++ vs C#", "iPhone15 price 2024-05-01")

    def cut(query: str, name: str) -> str:
        return " ".join(f"`{token}`" for token in sorted(tokenize(query, name)))

    rows = ((f"`{n}`", p.description, *(cut(q, n) for q in queries)) for n, p in PROFILES.items())
    return _table(("profile", "how it cuts", *queries), rows)


def machine() -> str:
    """Return the table of the state machine."""
    from agentlens.breaker.machine import EVENTS, TABLE

    ways = {True: ", with something usable", False: ", with nothing usable", None: ""}
    rows = (
        (
            f"`{arc.source}`", f"`{arc.event}`{ways[arc.usable]}", f"`{arc.target}`",
            "given" if arc.given else "added", EVENTS[arc.event],
        )
        for arc in TABLE
    )  # fmt: skip
    return _table(("state", "event", "next state", "row", "what the event says"), rows)


def recorded() -> str:
    """Return ``recorded.toml``: for each format the libraries that wrote files of the tests."""
    import tomli_w

    from agentlens.trace.load import load_many

    made: dict[str, dict[str, str]] = {}
    tests = DOCS.parent / "tests"
    for line in (tests / "recorders" / "README.md").read_text("utf-8").splitlines():
        if not line.startswith("| `"):
            continue
        _, _, libraries, files, *_ = (cell.strip() for cell in line.split("|"))
        versions = dict(re.findall(r"([\w.-]+) (\d[\w.]*)", libraries))
        for name in re.findall(r"`([^`]+)`", files):
            path = tests / "trace" / "formats" / "recorded" / name
            for trace in load_many(path, progress=False):
                made.setdefault(trace.format, {}).update(versions)
    head = "# Written by docs/make_tables.py from the table of the recorders.\n\n"
    return head + tomli_w.dumps(dict(sorted(made.items())))


PARTS: dict[str, Callable[[], str]] = {
    "formats": formats,
    "columns": columns,
    "switches": switches,
    "profiles": profiles,
    "machine": machine,
}
_PART = re.compile(r"(<!-- (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """Return a page with its tables written anew."""
    return _PART.sub(lambda m: f"{m[1]}\n{PARTS[m[2]]()}\n\n{m[4]}", text)


def main() -> int:
    """Rewrite the pages, and the file that one of their tables is made from."""
    facts = DOCS.parent / "agentlens" / "trace" / "formats" / "recorded.toml"
    facts.write_text(recorded(), "utf-8")
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text("utf-8")
        if (new := filled(text)) != text:
            page.write_text(new, "utf-8")
            print(f"wrote {page.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
