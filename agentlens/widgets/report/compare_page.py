"""The page of a comparison: both verdicts, the ribbons, and every call side by side."""

from __future__ import annotations

import json
import unicodedata
from html import escape
from typing import TYPE_CHECKING

from agentlens import __version__
from agentlens.figures.compare.ribbon import ribbon
from agentlens.figures.compare.text import counts_of, verdicts_of, word
from agentlens.figures.words import load_words
from agentlens.trace.redact import redacting
from agentlens.trace.redact_trace import masker_of
from agentlens.widgets.escape import clean, safe
from agentlens.widgets.esm import module_text
from agentlens.widgets.report.compare_text import apart, cells, folded, head
from agentlens.widgets.report.shell import csp, inert

if TYPE_CHECKING:
    from agentlens.figures.compare.result import Compared

__all__ = ["compare_html"]

_WORDS = load_words("agentlens.widgets.report", "compare.toml")
_STILL = 200  # rows that a page shows without its script

_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{css}</style></head><body>
<main><h1>{title}</h1>{verdicts}<p>{counts}</p>{ribbon}
<h2>{calls}</h2>
<div class="bar"><label>{search} <input id="search" type="search"></label>\
<label><input id="only" type="checkbox"{checked}> {only}</label>\
<span id="found" role="status"></span></div>
<div class="wide" tabindex="0" role="region" aria-label="{calls}"><table role="table">\
<thead role="rowgroup"><tr role="row">{head}</tr></thead>\
<tbody id="steps" role="rowgroup"><noscript>{still}</noscript></tbody></table></div>
<p><button id="more" type="button" hidden>{more}</button></p>
<noscript><p>{no_script}</p></noscript>
<h2>{about}</h2><dl>{facts}</dl></main>
<script type="application/json" id="compared">{data}</script>
<script type="module">{script}</script></body></html>
"""


def compare_html(made: Compared, *, lang: str = "en") -> str:
    """Return a comparison as one page of HTML that needs no kernel and no network.

    Parameters
    ----------
    made
        What `agentlens.compare` returned.
    lang
        ``en`` or ``zh``.
    """
    with redacting(masker_of(made.a.trace)):
        return _page(made, lang)


def _page(made: Compared, lang: str) -> str:
    words = _WORDS[lang]
    rows, flags = cells(made, lang), apart(made)
    kinds = [row["in"] for row in made.rows]
    script = module_text("compare.js")
    data = {
        "rows": [[*row, kind, flag] for row, kind, flag in zip(rows, kinds, flags, strict=True)],
        "found": words["found"],
        "head": head(lang),
    }
    names = [clean(one.trace.name) for one in (made.a, made.b)]
    facts = {
        words["policies"]: "A: {}; B: {}".format(*(one.policy.name for one in (made.a, made.b))),
        words["method"]: words["method_is"],
        words["made"]: f"agentlens {__version__}, Unicode {unicodedata.unidata_version}",
    }
    return _PAGE.format(
        lang="zh-CN" if lang == "zh" else "en", csp=csp(script), css=module_text("report.css"),
        title=escape(words["title"].format(*names)), checked=" checked" if any(flags) else "",
        verdicts="".join(
            f'<div class="side"><p class="muted">{safe(name)}</p>'
            f'<p class="headline">{escape(verdict)}</p></div>'
            for name, verdict in verdicts_of(made, lang)
        ),
        counts="<br>".join(safe(line) for line in counts_of(made, lang)),
        ribbon=ribbon(made, lang),
        # Roles: a narrow window shows each row as a block, which must stay a row to those who hear.
        head="".join(
            f'<th scope="col" role="columnheader">{escape(name)}</th>' for name in head(lang)
        ),
        still=_still(rows, kinds, flags, lang),
        facts="".join(f"<dt>{escape(k)}</dt><dd>{safe(v)}</dd>" for k, v in facts.items()),
        data=inert(json.dumps(data, ensure_ascii=False)), script=script,
        **{k: escape(words[k]) for k in "calls search only more about no_script".split()},
    )  # fmt: skip


def _still(rows: list[list[str]], kinds: list[str], flags: list[bool], lang: str) -> str:
    parts, names = [], [escape(name) for name in head(lang)]
    for place in folded(flags, _STILL):
        if place < 0:
            said = escape(word(lang, "more", n=-place))
            parts.append(f'<tr role="row"><td role="cell" colspan="{len(names)}">{said}</td></tr>')
        else:
            inside = "".join(
                f'<td role="cell" data-head="{name}">{escape(text)}</td>'
                for name, text in zip(names, rows[place], strict=True)
            )
            parts.append(f'<tr role="row" class="in-{kinds[place]}">{inside}</tr>')
    return "".join(parts)
