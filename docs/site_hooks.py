"""Hooks of the docs site: pages from outside docs/, pages from the code, a look at what was built.

The pages of docs/ are written to read well in the tree, so their links lead to files of the tree.
Here a link is turned into the page that the file becomes. What is neither a page nor in the site is
left as text. After the build every address in it must lead to a file and a place that are there,
and nothing may be fetched from elsewhere.
"""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
#: Files outside docs/ that are part of the site, and where.
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "LICENSE",
    "benchmarks/README.md": "benchmarking.md",
    "sample_traces/README.md": "samples.md",
    **{f"notebooks/{p.name}": f"notebooks/{p.name}" for p in (ROOT / "notebooks").glob("*.ipynb")},
}
#: The public names, by what they are for; together they are `agentlens.__all__`.
API = {
    "Traces": "load load_many Trace Corpus to_atif write_atif to_plain write_plain to_parquet "
    "write_parquet",
    "Breaker": "Policy replay Replay",
    "Guard": "Guard Decision Run Shadow shadow_report",
    "Thresholds": "surface Surface evaluate Evaluation choose Choice sweep",
    "Widgets": "Lens Picker scan report compare Compared TriggerAmplifier TokenLab IncidentView "
    "figures",
    "Errors": "TraceError PolicyError",
}
#: What the pages speak of and is reached by its full name.
BESIDE = {
    "Traces": ("agentlens.trace.samples",),
    "Breaker": ("agentlens.breaker.families.spec.RuleSpec",),
    "Guard": ("agentlens.breaker.task.goal", "agentlens.breaker.task.replan"),
}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def _presets() -> str:
    """Return the page of the presets: what each says of itself, and its file."""
    from agentlens.breaker.policy import Policy

    parts = [
        "# Presets\n\nEvery preset by the name that `al.Policy.preset` takes, with the file that "
        "states it. `agentlens policies` prints the same list; [rules](rules.md) says what the "
        "families of rules are, [policies](policy.md) what the switches are.\n"
    ]
    folder = ROOT / "agentlens" / "breaker" / "presets"
    for name in Policy.presets():
        parts.append(f"## {name}\n\n{Policy.about(name)['description']}.\n")
        parts.append(f"```toml\n{(folder / f'{name}.toml').read_text('utf-8')}```\n")
    return "\n".join(parts)


def _api() -> dict[str, str]:
    """Return the pages of the API, by address."""
    import agentlens

    told = {name for names in API.values() for name in names.split()} | {"__version__"}
    if told != set(agentlens.__all__):
        raise PluginError(f"API of docs/site_hooks.py: {told ^ set(agentlens.__all__)}")
    pages = {}
    index = ["# API\n", "The public names of `import agentlens as al`.\n"]
    for title, names in API.items():
        page = f"{title.lower()}.md"
        index.append(f"- [{title}]({page}): " + ", ".join(f"`{n}`" for n in names.split()))
        blocks = [f"::: {home}\n" for home in (*map(_home, names.split()), *BESIDE.get(title, ()))]
        pages[f"api/{page}"] = "\n".join([f"# {title}\n", *blocks])
    pages["api/index.md"] = "\n".join(index)
    return pages


def _home(name: str) -> str:
    import agentlens

    home = agentlens._HOME[name]
    return home if home == f"agentlens.{name}" else f"{home}.{name}"


def on_files(files: Any, config: Any) -> Any:
    """Add what lies outside docs/ and what is made from the code."""
    for source, target in OUTSIDE.items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    for target, text in {**_api(), "presets.md": _presets()}.items():
        files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """Turn links to files of the tree into links to pages of the site."""
    here = page.file.src_uri
    source = next((s for s, t in OUTSIDE.items() if t == here), f"docs/{here}")

    def turned(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        path, hash_, place = target.partition("#")
        if not path or "://" in path:
            return match[0]
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        at = OUTSIDE.get(inside, inside.removeprefix("docs/"))
        if files.get_file_from_path(at) is None:
            if (ROOT / inside).exists() and not inside.endswith(".md"):
                return text  # in the tree, but not in the site
            return match[0]  # leads nowhere: the strict build says so
        back = posixpath.relpath(at, posixpath.dirname(here) or ".")
        return f"{mark}[{text}]({back}{hash_}{place})"

    return _LINK.sub(turned, markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Say the language of a Chinese page, for screen readers and hyphenation."""
    if page.file.src_uri.endswith(".zh.md"):
        return output.replace('<html lang="en"', '<html lang="zh"', 1)
    return output


class _Addresses(HTMLParser):
    """What a page links to, what it fetches, and the places in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        has = {name: value or "" for name, value in attrs}
        self.places |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag == "link" and has.get("rel") not in ("canonical", "prev", "next"):
            self.fetched.append(has.get("href", ""))
        else:
            self.fetched += [has[name] for name in ("src", "data", "poster") if name in has]
            self.fetched += [part.split()[0] for part in has.get("srcset", "").split(",") if part]


def _read(page: Path) -> _Addresses:
    found = _Addresses()
    found.feed(page.read_text("utf-8"))
    return found


def on_post_build(config: Any) -> None:
    """Follow every address of every built page, those of raw HTML too."""
    site = Path(config.site_dir)
    pages = {page: _read(page) for page in sorted(site.rglob("*.html"))}
    wrong = []
    for page, found in pages.items():
        if page.name == "404.html":  # its addresses start at the root of the server
            continue
        wrong += [f"{page.name} fetches {a}" for a in found.fetched if urlsplit(a).netloc]
        for address in (*found.links, *found.fetched):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            places = pages[target].places if target in pages else set()
            if not target.is_file():
                wrong.append(f"{page.relative_to(site)}: {address} leads nowhere")
            elif parts.fragment and unquote(parts.fragment) not in places:
                wrong.append(f"{page.relative_to(site)}: no such place: {address}")
    for sheet in site.rglob("*.css"):
        if re.search(r"url\(['\"]?(?:https?:)?//", sheet.read_text("utf-8")):
            wrong.append(f"{sheet.name} fetches from elsewhere")
    if wrong:
        raise PluginError("\n".join(wrong))
