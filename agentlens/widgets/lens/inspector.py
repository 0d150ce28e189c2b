"""One round in full, as HTML: what it searched for, what that repeats, what it brought."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

from agentlens.breaker.words import duration
from agentlens.figures.words import load_words
from agentlens.progress.urls import canonical, find_urls
from agentlens.widgets.escape import safe, safe_block
from agentlens.widgets.marks import marked

if TYPE_CHECKING:
    from agentlens.breaker.query.signals import Query
    from agentlens.breaker.replay import Replay
    from agentlens.trace.model import Trace

__all__ = ["STYLE", "inspect_round"]

_WORDS = load_words("agentlens.widgets.lens", "inspector.toml")

MOST_RESULT = 2_000  # characters shown
_READ = 200_000  # characters of a result that are looked at
_MOST_URLS = 30
_MOST_CALLS = 20

#: Needed once beside what `inspect_round` returns.
STYLE = """
<style>
.agentlens-round {font: 13px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans CJK SC",
  "PingFang SC", "Microsoft YaHei", sans-serif; font-variant-numeric: tabular-nums;
  color: var(--jp-ui-font-color1, currentColor); max-width: 1000px; min-width: 0;
  overflow-wrap: anywhere;}
.agentlens-round h4 {font-size: 13px; font-weight: 600; margin: 12px 0 4px;}
.agentlens-round p {margin: 0 0 4px;}
.agentlens-round .muted, .agentlens-round.muted {color: var(--jp-ui-font-color2, #5a6572);}
.agentlens-round .pair {display: flex; flex-wrap: wrap; gap: 4px 24px;}
.agentlens-round .pair > div {flex: 1 1 220px; min-width: 0;}
.agentlens-round .query {font-size: 16px; overflow-wrap: anywhere;}
.agentlens-round mark {color: inherit; padding: 0 1px; border-radius: 2px;
  background: rgba(0, 114, 178, .16); text-decoration: underline 2px; text-underline-offset: 3px;}
.agentlens-round pre {font: 12px/1.45 var(--jp-code-font-family, ui-monospace, Menlo, Consolas,
  "Noto Sans Mono CJK SC", monospace); margin: 4px 0; max-height: 220px; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; color: inherit; background: none; padding: 0;}
.agentlens-round ul {margin: 4px 0; padding-left: 18px; overflow-wrap: anywhere;}
.agentlens-round .new {font-weight: 600;}
.agentlens-round summary {cursor: pointer;}
.agentlens-controls button {padding: 0 4px;}
</style>
"""


def inspect_round(replay: Replay, row: int, lang: str = "en", *, most: int = MOST_RESULT) -> str:
    """Return the HTML of a round.

    Parameters
    ----------
    replay
        The replay that it belongs to.
    row
        Row of the trace's rounds table; a row that does not exist gives a line that asks for one.
    lang
        ``en`` or ``zh``.
    most
        Characters of a result, or of what the model said, that are shown.

    Returns
    -------
    str
        Text of the trace in it is masked and escaped; no link in it is live.
    """
    words = _WORDS[lang]
    if not 0 <= row < len(replay.signals.kind):
        return f'<div class="agentlens-round muted">{words["choose"]}</div>'
    parts = [_head(replay, row, words), *_queries(replay, row, words)]
    rounds = replay.trace.tables["rounds"]
    for name in ("text", "reasoning"):
        if rounds[name][row]:
            parts.append(f"<h4>{words[name]}</h4>{_block(rounds[name][row], most)}")
    calls = replay.trace.round_calls[row]
    new = _new_urls(replay.trace, row)
    parts += [_call(replay.trace, call, new, words, most) for call in calls[:_MOST_CALLS]]
    if len(calls) > _MOST_CALLS:
        parts.append(f'<p class="muted">{words["more_calls"].format(len(calls) - _MOST_CALLS)}</p>')
    return f'<div class="agentlens-round">{"".join(parts)}</div>'


def _head(replay: Replay, row: int, words: dict[str, str]) -> str:
    rounds = replay.trace.tables["rounds"]
    facts = [words["round"].format(rounds["round"][row]), words[replay.signals.kind[row]]]
    if len(replay.trace.tables["threads"]["thread"]) > 1:
        facts.insert(0, safe(rounds["thread"][row]))
    if rounds["seconds"][row] is not None:
        derived = words["derived"] if rounds["time_quality"][row] == "derived" else ""
        facts.append(duration(rounds["seconds"][row]) + derived)
    count = replay.counts["query"][row]
    if count is not None:
        facts.append(words["count"].format(count, replay.policy.threshold))
    trips = {trip.row: trip for trip in replay.trips}
    if row in trips:
        facts.append(f"<strong>{words['stops']}</strong>")
    elif replay.counterfactual[row]:
        facts.append(words["would_not"])
    return f"<p><strong>{facts[0]}</strong> · {' · '.join(facts[1:])}</p>"


def _row_of(query: Query) -> int:
    return query.row


def _queries(replay: Replay, row: int, words: dict[str, str]) -> list[str]:
    signals, policy = replay.signals, replay.policy
    first = bisect_left(signals.queries, row, key=_row_of)
    indices = range(first, bisect_right(signals.queries, row, lo=first, key=_row_of))
    decides = signals.query[row]
    ordered = sorted(indices, key=lambda i: i != decides)
    parts = []
    for index in ordered:
        query, match = signals.queries[index], signals.scored.match[index]
        earlier = signals.queries[match] if match >= 0 else None
        shared = query.tokens & earlier.tokens if earlier else frozenset[str]()
        left = marked(query.text, shared, policy.profile) or f"<em>{words['empty']}</em>"
        boxes = [f'<div class="muted">{words["searched"]}</div><div class="query">{left}</div>']
        if earlier is None:
            boxes.append(f'<div class="muted">{words["no_match"]}</div>')
        else:
            number = replay.trace.tables["rounds"]["round"][earlier.row]
            right = marked(earlier.text, shared, policy.profile)
            boxes.append(
                f'<div class="muted">{words["matched"].format(number)}</div>'
                f'<div class="query">{right}</div>'
            )
        parts.append(f'<div class="pair">{"".join(f"<div>{box}</div>" for box in boxes)}</div>')
        if earlier is not None:
            parts.append(f"<p>{_score(replay, index, len(shared), words)}</p>")
    return parts


def _score(replay: Replay, index: int, shared: int, words: dict[str, str]) -> str:
    from agentlens.progress.measures import at_least, value_of

    policy, scored = replay.policy, replay.signals.scored
    num, den = scored.num[index], scored.den[index]
    same = num > 0 and bool(at_least(num, den, policy.similarity, policy.measure, policy.strict))
    value = f"{num}/{den}" if policy.measure != "cosine" else f"√({num}/{den})"
    number = value_of(num, den, policy.measure)
    text = words["score"].format(
        measure=words[policy.measure], value=value, number=f"{number:.3f}".rstrip("0").rstrip("."),
        shared=shared, similarity=policy.similarity,
    )  # fmt: skip
    return f"{text} <strong>{words['same' if same else 'differs']}</strong>"


def _call(trace: Trace, call: int, new: frozenset[str], words: dict[str, str], most: int) -> str:
    calls = trace.tables["calls"]
    args = calls["args"][call]
    raw = (
        calls["args_raw"][call]
        if args is None
        else json.dumps(args, ensure_ascii=False, default=str)
    )
    status = calls["status"][call]
    facts = [f"<code>{safe(calls['tool'][call] or '?')}</code>"]
    if status not in ("ok", None):
        facts.append(words.get(status, safe(status)))
    if calls["seconds"][call] is not None:
        facts.append(duration(calls["seconds"][call]))
    parts = [f"<h4>{' · '.join(facts)}</h4>"]
    if raw and raw != "{}":
        parts.append(_block(raw, min(most, 1_000)))
    result = (calls["result"][call] or "")[:_READ]
    parts.append(
        f'<div class="muted">{words["result"]}</div>{_block(result, most)}'
        if result.strip()
        else f'<p class="muted">{words["no_result"]}</p>'
    )
    urls = list(dict.fromkeys(find_urls(result)))
    if urls:
        items = "".join(
            f'<li><span class="new">{words["new"]}</span> {safe(url)}</li>'
            if canonical(url) in new
            else f"<li>{safe(url)}</li>"
            for url in urls[:_MOST_URLS]
        )
        more = f"<li>… +{len(urls) - _MOST_URLS}</li>" if len(urls) > _MOST_URLS else ""
        fresh = sum(canonical(url) in new for url in urls)
        parts.append(
            f"<details><summary>{words['urls'].format(len(urls), fresh)}</summary>"
            f"<ul>{items}{more}</ul></details>"
        )
    return "".join(parts)


def _block(text: Any, most: int) -> str:
    return f"<pre>{safe_block(str(text)[: 10 * most], most)}</pre>"


def _new_urls(trace: Trace, row: int) -> frozenset[str]:
    """Return the URLs (canonical) that are new to the round's thread; kept on the trace."""
    if "first_urls" not in trace.cache:
        rounds, results = trace.tables["rounds"], trace.tables["calls"]["result"]
        seen: dict[str, set[str]] = {}
        first: list[frozenset[str]] = []
        for thread, calls in zip(rounds["thread"], trace.round_calls, strict=True):
            known = seen.setdefault(thread, set())
            found = {canonical(u) for c in calls for u in find_urls((results[c] or "")[:_READ])}
            first.append(frozenset(found - known))
            known |= found
        trace.cache["first_urls"] = first
    found_first: list[frozenset[str]] = trace.cache["first_urls"]
    return found_first[row]
