"""The picker where no code runs: the sentence, the map as a table, the worst runs in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from agentlens.figures.theme import ink_on, ramp
from agentlens.figures.words import fill, load_words
from agentlens.thresholds.intervals import wilson

__all__ = ["PICKER_WORDS", "picker_html", "picker_text"]

#: For each language the templates by key; the page fills the same.
PICKER_WORDS = load_words("agentlens.widgets.picker")

#: A saved notebook shows so many false stops, and so many columns of the map.
_MOST, _COLUMNS = 10, 24


def picker_text(payload: Mapping[str, Any], cell: Sequence[int], lang: str) -> str:
    """Return what the picker says at a cell, for a terminal."""
    words, (column, threshold) = PICKER_WORDS[lang], cell
    if not payload["labelled"]:
        return words["title_none"]
    here, edges = payload["grid"][threshold - 1][column], payload["edges"]
    own = {(c, k): setting for c, k, setting in payload["own"]}
    p, q = own.get((column, threshold), payload["columns"][column])
    low, high = wilson(here[0], payload["good"])
    title = fill(words["title"], {
        "s": f"{p / q:.4g}", "k": threshold, "sg": here[0], "good": payload["good"],
        "sl": here[2], "loops": payload["loops"], "unit": words[payload["unit"]],
    })  # fmt: skip
    total = payload["loop_rounds"]
    more = fill(words["more"], {
        "ftr": f"{here[0] / max(1, payload['good']):.1%}", "lo": f"{low:.1%}", "hi": f"{high:.1%}",
        "h": here[1], "wasted": total - here[3], "total": total,
    })  # fmt: skip
    below = edges[column - 1] if column else 0
    more += " " + fill(words["plateau"], {"lo": f"{below:.3g}", "hi": f"{edges[column]:.3g}"})
    few = " " + fill(words["few"], {"n": payload["labelled"]}) if payload["labelled"] < 60 else ""
    return f"{title}\n{more}{few}"


def picker_html(payload: Mapping[str, Any], cell: Sequence[int], lang: str) -> str:
    """Return the same as a page without a script, the map as a table."""
    words, (column, threshold) = PICKER_WORDS[lang], cell
    said = "".join(
        f"<p>{escape(line)}</p>" for line in picker_text(payload, cell, lang).split("\n")
    )
    first = max(0, min(column - _COLUMNS // 2, len(payload["columns"]) - _COLUMNS))
    shown = range(first, min(first + _COLUMNS, len(payload["columns"])))
    most = max((one[3] for line in payload["grid"] for one in line), default=0) or 1
    rows = []
    for k in range(len(payload["grid"]), 0, -1):
        cells = [_cell(payload["grid"][k - 1][c], most, (c, k) == (column, threshold))
                 for c in shown]  # fmt: skip
        rows.append(f"<tr><th>{k}</th>{''.join(cells)}</tr>")
    foot = "".join(f"<td>{payload['edges'][c]:.3g}</td>" for c in shown)
    title = fill(words["map"], {"unit": words[payload["unit"]]})
    return (
        f'<div class="al-still">{said}<table style="font-variant-numeric:tabular-nums">'
        f"<caption>{escape(title)}</caption><tbody>{''.join(rows)}"
        f"<tr><th>{escape(words['similarity'])}</th>{foot}</tr></tbody></table>"
        f"{_false(payload, column, threshold, words)}</div>"
    )


def _cell(one: Sequence[Any], most: float, current: bool) -> str:
    colour = ramp(one[3] / most)
    ring = "outline:2px solid currentColor;font-weight:bold;" if current else ""
    style = f"background:{colour};color:{ink_on(colour)};{ring}" if one[4].get("query") else ring
    text = f"{one[0]}/{one[2]}" if one[4].get("query") or current else "·"
    return f'<td style="text-align:center;{style}">{text}</td>'


def _false(
    payload: Mapping[str, Any], column: int, threshold: int, words: Mapping[str, str]
) -> str:
    found = []
    for run in payload["runs"]:
        if run["label"] != "good":
            continue
        steps = run["s"][threshold - 1]
        _, number, harmful, _, rule = next(s for s in steps if column <= s[0])
        if number:
            harm = words["harm"] if harmful else words["no_harm"]
            values = {"round": number, "last": run["last"], "rule": rule, "harm": harm}
            why = fill(words["why"], values)
            found.append(f"<li>{escape(run['task'] or run['name'])}: {escape(why)}</li>")
    if not found:
        return f"<p>{escape(words['no_false'])}</p>"
    more = f"<li>… {len(found) - _MOST}</li>" if len(found) > _MOST else ""
    title = escape(fill(words["false_list"], {"n": len(found)}))
    return f"<p>{title}</p><ul>{''.join(found[:_MOST])}{more}</ul>"
