"""The browser's arithmetic against Python's, on random payloads: counts, trips, cuts, surface."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.breaker.switches import SWITCHES
from agentlens.figures.call_lanes import forest_of, lanes_of
from agentlens.figures.still import text
from agentlens.figures.view import view_of
from agentlens.thresholds.surface import surface
from agentlens.trace.build import TraceBuilder
from agentlens.trace.model import Trace
from agentlens.widgets.esm import MODULES, join_modules
from agentlens.widgets.lens.payload import as_json, stage_payload

pytestmark = pytest.mark.browser

WORDS = "天气 今日 北京 weather today price 2023 2024 review best cheap a b c".split()

SCRIPT = """
(payloads) => payloads.map(({ payload, settings, lang }) => {
  const M = window.M;
  const state = { ...M.loadPayload(payload), time: false, selected: -1 };
  const words = payload.words[lang];
  return settings.map(([similarity, threshold]) => {
    Object.assign(state, { similarity, threshold, words, lang });
    M.recut(state);
    M.recount(state);
    const said = M.verdictOf(state);
    return {
      counts: [...state.result.counts], trips: state.result.trips,
      cluster: [...state.layout.cluster], lane: [...state.layout.lane], y: [...state.layout.y],
      group: [...state.layout.group], kinds: state.layout.kinds,
      surface: M.tripAt(state.records, threshold, state.cut),
      said: [said.verdict, said.reason, said.other].filter(Boolean).join("\\n"),
    };
  });
})
"""


def random_trace(rng: random.Random) -> Trace:
    """Return searches, other calls and messages over a few requests, some in parallel."""
    builder = TraceBuilder("plain")
    for _ in range(rng.randint(1, 16)):
        if rng.random() < 0.12:
            builder.user("next")
        row = builder.round(seconds=rng.choice([None, 1.5, 7.175]))
        for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3])):
            if rng.random() < 0.8:
                query = " ".join(rng.choices(WORDS, k=rng.randint(0, 6)))
                call = builder.call(row, "web_search", {"query": query})
            else:
                call = builder.call(row, rng.choice(["read_file", "bash"]), {"path": "x"})
            builder.result(call, rng.choice(["", "a line", "https://example.org/1", "news 7"]))
    return builder.finish()


def random_policy(rng: random.Random) -> Policy:
    """Return a policy whose scores the browser can count."""
    switches: dict[str, Any] = {
        "measure": rng.choice(["containment", "containment", "jaccard", "dice", "cosine"]),
        "strict": rng.random() < 0.2,
        "mixed": rng.choice(["neutral", "reset", "count"]),
        "business": rng.choice(["reset", "neutral"]),
        "agg": rng.choice(["any", "all", "majority"]),
        "scope": rng.choice(["request", "session"]),
        "enabled": rng.random() < 0.95,
        "min_tokens": rng.choice([1, 1, 3]),
        "numeric_veto": rng.random() < 0.2,
    }
    if "max_rounds" in SWITCHES:
        switches["max_rounds"] = rng.choice([None, None, 3])
    if rng.random() < 0.4:  # the default: staged, and with rules that stop after a round too
        switches |= {"min_tokens": rng.choice([1, 2])}
        return Policy.preset("layered", **switches)
    return Policy.preset("classic", **switches)


def random_setting(rng: random.Random, levels: list[Fraction]) -> tuple[Fraction, int]:
    """Return a similarity (often exactly at a score, or next to one) and a threshold."""
    near = (
        rng.choice(levels) + rng.choice([0, 0, Fraction(1, 10**6), Fraction(-1, 10**6)])
        if levels
        else 0
    )
    drawn = near if rng.random() < 0.6 else Fraction(rng.randint(1, 100), 100)
    exact = Fraction(drawn).limit_denominator(10**6)
    return (exact if 0 < exact <= 1 else Fraction(4, 5)), rng.randint(1, 5)


def expected(trace: Trace, policy: Policy, lang: str) -> dict[str, Any]:
    """Return what Python says of one setting, in the browser's terms."""
    made = replay(trace, policy)
    view = view_of(made)
    lanes = lanes_of(view)
    counts = made.counts["query"]
    query_trip = surface(
        trace,
        policy.with_(max_rounds=None, rules=()) if "max_rounds" in SWITCHES else policy,
    )
    rows = [r for r in query_trip.trip_rows(policy.similarity, policy.threshold) if r is not None]
    return {
        "counts": [-1 if counts[row] is None else counts[row] for row in view.rows],
        "trips": sorted(view.trips.values()),
        "cluster": partition(forest_of(view).cut(policy.similarity, policy.strict)),
        "lane": lanes.lane, "y": lanes.y, "group": lanes.group, "kinds": lanes.kind,
        "surface": min((view.position[r] for r in rows), default=-1),
        "said": text(made, lang),
    }  # fmt: skip


def partition(labels: list[int]) -> list[int]:
    """Return labels numbered in order of first appearance."""
    seen: dict[int, int] = {}
    return [seen.setdefault(label, len(seen)) for label in labels]


@pytest.fixture(scope="module")
def modules(chromium: Any):
    """Yield a page that holds the modules' exported functions as ``window.M``."""
    page = chromium.new_page()
    source = join_modules(MODULES[: MODULES.index("stage")], keep_exports=True)
    page.evaluate(
        """async (source) => {
          const file = new Blob([source], { type: "text/javascript" });
          window.M = await import(URL.createObjectURL(file));
        }""",
        source,
    )
    yield page
    page.close()


def test_the_browser_counts_as_python_does(modules, count):
    rng = random.Random(20261130)
    asked, wanted = [], []
    for _ in range(count(250, 3000)):
        trace, policy = random_trace(rng), random_policy(rng)
        lang = rng.choice(["en", "zh"])
        signals = replay(trace, policy).signals
        levels = [Fraction(n, d) for n, d in zip(signals.num, signals.den, strict=True) if n]
        settings = [random_setting(rng, levels) for _ in range(4)]
        asked.append({
            "payload": json.loads(as_json(stage_payload(replay(trace, policy)))), "lang": lang,
            "settings": [[[s.numerator, s.denominator], k] for s, k in settings],
        })  # fmt: skip
        wanted.append([
            expected(trace, policy.with_(similarity=s, threshold=k), lang) for s, k in settings
        ])  # fmt: skip
    found = modules.evaluate(SCRIPT, asked)
    for made, want, ask in zip(found, wanted, asked, strict=True):
        for got, right, setting in zip(made, want, ask["settings"], strict=True):
            got["cluster"] = partition(got["cluster"])
            assert got["y"] == pytest.approx(right.pop("y"))
            got.pop("y")
            assert got == right, setting


def test_large_integers_compare_exactly(modules):
    """Products beyond 2**53 are done in BigInt."""
    rng = random.Random(7)
    cases = []
    for _ in range(400):
        base = Fraction(rng.randint(1, 10**12), rng.randint(1, 10**12))
        other = base + rng.choice([0, 1, -1]) * Fraction(1, 10**23)
        p, q = other.limit_denominator(10**12).as_integer_ratio()
        if p > 0:
            cases.append([base.numerator, base.denominator, p, q])
    found = modules.evaluate("(cases) => cases.map((c) => window.M.compareFractions(...c))", cases)
    wanted = [
        (Fraction(a, b) > Fraction(c, d)) - (Fraction(a, b) < Fraction(c, d))
        for a, b, c, d in cases
    ]
    assert found == wanted


def test_words_are_filled_alike(modules):
    """The two implementations of the templates say the same, for each key and both languages."""
    from agentlens.figures.words import WORDS as TEMPLATES
    from agentlens.figures.words import say

    for values in ({"n": 1, "total": 1}, {"n": 12345, "total": 2, "round": 3, "query": "{n}"}):
        for lang, templates in TEMPLATES.items():
            found = modules.evaluate(
                "([words, values]) => Object.keys(words).map((k) => M.say(words, k, values))",
                [templates, values],
            )
            assert found == [say(lang, key, **values) for key in templates]


def test_keys_visit_every_plateau(modules, count):
    """From Home, arrow up passes through each plateau of the scores once; arrow down likewise."""
    rng = random.Random(3)
    for _ in range(count(60, 600)):
        trace, policy = random_trace(rng), random_policy(rng)
        payload = json.loads(as_json(stage_payload(replay(trace, policy))))
        cuts = modules.evaluate(
            """(payload) => {
              const { view } = window.M.loadPayload(payload);
              const walk = (from, up) => {
                const cuts = [];
                let at = from;
                while (at && cuts.length < 200) {
                  cuts.push(window.M.cutOf(view, at));
                  at = window.M.nextPlateau(view, at, up);
                }
                return cuts;
              };
              const top = view.levels.length, last = view.levels[top - 1];
              const full = last && window.M.levelValue(last, view.measure) >= 1 && !view.strict;
              const end = full ? top : top + 1;
              return [walk([1, 1000000], true), walk([1, 1], false), end];
            }""",
            payload,
        )
        up, down, end = cuts
        assert up == list(range(1, end + 1))
        assert down == list(range(end, 0, -1))[: len(down)]
        assert len(down) >= end - 1 or end == 1
