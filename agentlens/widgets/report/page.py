"""A report: one HTML file that anyone can open, with no kernel and no network, still draggable."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from agentlens import __version__
from agentlens.figures.rule_lanes.page import lanes_page
from agentlens.figures.rule_lanes.rows import lane_rows
from agentlens.figures.still import still
from agentlens.figures.view import view_of
from agentlens.figures.words import fill, load_words
from agentlens.trace.redact import redacting
from agentlens.trace.redact_trace import Unmasked, masker_of
from agentlens.trace.secret_words import secret_words
from agentlens.widgets.escape import clean, safe
from agentlens.widgets.esm import module_text, stage_css, stage_esm
from agentlens.widgets.lens.inspector import STYLE, inspect_round
from agentlens.widgets.lens.payload import as_json
from agentlens.widgets.report.rounds import threads_of
from agentlens.widgets.report.shell import csp, inert

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.trace.redact import Redactor

__all__ = ["report_html"]

_WORDS = load_words("agentlens.widgets.report")

_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{css}</style>{inspector}</head><body>
<main>{home}<h1>{title}</h1><div id="stage"></div>
<noscript><p>{no_script}</p>{still}</noscript>
{lanes}<h2>{rounds}</h2>
<div class="bar"><label>{search} <input id="search" type="search"></label>\
<span id="found" role="status"></span>\
<label{one_thread}>{thread} <select id="thread">{threads}</select></label>{more_threads}</div>
<p>{at}</p>
<div class="wide" tabindex="0" role="region" aria-label="{rounds}"><table><thead><tr>{head}</tr>\
</thead><tbody id="rows"></tbody></table></div>
<p><button id="more" type="button" hidden>{more}</button></p>
<h2>{selected}</h2><div id="detail" aria-live="polite"></div>
<details><summary><h2>{policy}: {preset}</h2></summary><dl class="columns">{switches}</dl></details>
<h2>{about}</h2><dl>{facts}</dl></main>
<script type="application/json" id="report">{data}</script>
<script type="module">{script}</script></body></html>
"""


def report_html(made: Replay, *, lang: str = "en", home: str = "") -> str:
    """Return the report of a replay as one page of HTML.

    Parameters
    ----------
    made
        The replay.
    lang
        ``en`` or ``zh``.
    home
        Relative address of the index that the page belongs to; empty where it stands alone.

    Notes
    -----
    Secrets are masked with one numbering through the whole page, also those that only a later
    text tells; the page says at its end how many there were of each kind, or that none was masked.
    """
    with redacting(masker_of(made.trace)) as masker:
        return _page(made, lang, home, masker)


def _page(made: Replay, lang: str, home: str, masker: Redactor) -> str:
    words = _WORDS[lang]
    threads = threads_of(made, lang)
    left = len(set(made.trace.tables["rounds"]["thread"])) - len(threads)
    script = stage_esm().replace("export default", "const STAGE =") + module_text("report.js")
    data = {
        "lang": lang,
        "words": {"found": words["found"]},
        "choose": inspect_round(made, -1, lang),
        "threads": threads,
    }
    lanes = _lanes(made, words, lang)
    hidden = secret_words(masker.secrets, lang) or words["nothing_hidden"]
    if isinstance(masker, Unmasked):
        hidden = words["kept"]
    policy = made.policy
    switches = {k: v for k, v in policy.to_dict().items() if k not in ("name", "rules")}
    return _PAGE.format(
        lang="zh-CN" if lang == "zh" else "en",
        title=escape(words["title" if made.trips else "title_calm"].format(clean(made.trace.name))),
        csp=csp(script),
        home=f'<nav><a href="{escape(home)}">{escape(words["home"])}</a></nav>' if home else "",
        css=stage_css() + module_text("report.css"),
        inspector=STYLE,
        still=still(made, lang),
        lanes=lanes,
        one_thread="" if len(threads) > 1 else " hidden",
        threads="".join(
            f'<option value="{n}">{safe(one["name"])}</option>' for n, one in enumerate(threads)
        ),
        more_threads=f"<span>{escape(fill(words['left'], {'n': left}))}</span>" if left else "",
        at=escape(words["at"].format(policy.similarity, policy.threshold)),
        head="".join(
            f'<th scope="col">{escape(words[k])}</th>'
            for k in ("round", "asked", "score", "count", "state")
        ),
        preset=escape(policy.name),
        switches=_rows(switches),
        facts=_rows(_facts(made, words) | {words["hidden"]: hidden}),
        data=inert(as_json(data)),
        script=script,
        **{
            k: escape(words[k])
            for k in "no_script rounds search thread more selected policy about".split()
        },
    )  # fmt: skip


def _lanes(made: Replay, words: Mapping[str, str], lang: str) -> str:
    """Return where every rule and preset would have spoken in the thread that is shown first."""
    view = view_of(made)
    if not view.rows:
        return ""
    head = escape(words["lanes"])
    if len(made.trace.tables["threads"]["thread"]) > 1:  # they stay when another one is chosen
        head += f": {safe(view.thread)}"
    return f"<h2>{head}</h2>{lanes_page(lane_rows(view, lang=lang), lang)}"


def _facts(made: Replay, words: Mapping[str, str]) -> dict[str, Any]:
    meta = made.trace.meta
    facts = {
        words["source"]: clean(meta.source or made.trace.name),
        words["format"]: made.trace.format,
        words["made"]: f"agentlens {__version__}, {made.policy.profile}, "
        f"Unicode {unicodedata.unidata_version}",
    }
    if made.trace.notes:
        facts[words["notes"]] = "; ".join(clean(note) for note in made.trace.notes)
    return facts


def _rows(values: Mapping[str, Any]) -> str:
    return "".join(
        f"<dt>{escape(str(name))}</dt><dd>{safe('–' if value is None else value)}</dd>"
        for name, value in values.items()
    )
