import { ranAt } from "./count.js";
import { duration, joinParts, say, shorten } from "./words.js";

// The verdict in one sentence, why, and the honest other half. All plain text.

export function scoreWords(view, words, num, den) {
  if (view.measure === "containment") return say(words, "score_tokens", { num, den });
  if (view.measure === "cosine") return say(words, "score_cosine", { value: Math.sqrt(num / den).toFixed(3) });
  return say(words, "score_ratio", { measure: words[`measure_${view.measure}`] || view.measure, num, den });
}

// What stopping at a position saves: rounds with calls to the end of its request, and their seconds.
export function savedFrom(view, trip, ran = false) {
  const s = view.sequence[trip];
  let rounds = 0, seconds = 0, timed = false, urls = 0, lines = 0, fresh = 0;
  for (let i = trip + (ran ? 1 : 0); i < view.n; i++) {
    if (view.sequence[i] !== s || !view.acts[i]) continue;
    rounds += 1;
    if (!Number.isNaN(view.seconds[i])) { seconds += view.seconds[i]; timed = true; }
    urls += view.urls[i];
    lines += view.lines[i];
    if (view.urls[i] || view.lines[i]) fresh += 1;
  }
  return { rounds, seconds: timed ? seconds : null, urls, lines, fresh };
}

export function matchWords(view, q) {
  const m = view.queries.match[q];
  if (m >= 0) return { text: view.texts[view.queries.text[m]], round: view.number[view.queries.round[m]] };
  const foreign = view.queries.foreign ? view.queries.foreign[q] : -1;
  return foreign >= 0 ? { text: view.texts[foreign], round: null } : null;
}

export function verdictOf(scene) {
  const { view, result, words, threshold, longest } = scene;
  if (!view.n) return { verdict: words.empty, reason: words.empty_hint, other: "", kind: "empty" };
  const { total } = view;
  if (!view.enabled) return { verdict: words.disabled, reason: "", other: "", kind: "none" };
  if (!view.asked && result.trip < 0) {
    const calls = view.calls.round ? view.calls.round.length : 0;
    if (!calls) return { verdict: say(words, "no_calls", { total }), reason: "", other: "", kind: "none" };
    const tools = joinParts(words, view.tools.slice(0, 8)) + (view.tools.length > 8 ? "…" : "");
    const said = [say(words, "no_search", { calls, total }), say(words, "no_search_tools", { tools })];
    // Where further rules did look, the answer comes first, then what the query rule could not see.
    const [verdict, reason, other = ""] = view.judged ? [standing(view, words, total), ...said] : said;
    return { verdict, reason, other, kind: "none" };
  }
  return result.trip >= 0 ? tripped(scene, total) : untripped(view, result, words, threshold, longest, total);
}

function tripped({ view, result, words, threshold }, total) {
  const t = result.trip;
  const saved = savedFrom(view, t, ranAt(result, t));
  const parts = [say(words, "rounds", { n: saved.rounds }), saved.seconds === null ? "" : duration(saved.seconds)];
  const values = { round: view.number[t], total, saved: joinParts(words, parts), request: view.request[t] };
  const key = view.requests > 1 ? "verdict_trip_request" : "verdict_trip";
  const verdict = say(words, ranAt(result, t) ? `${key}_after` : key, values);
  const q = view.query[t], match = q >= 0 ? matchWords(view, q) : null;
  const rule = result.ruleOf.get(t);
  const reason = rule ? say(words, rule.reason ? "reason_rule" : `reason_${rule.rule}`, rule) : match ? say(words, match.round === null ? "reason_trip_foreign" : "reason_trip", {
    query: shorten(view.texts[view.queries.text[q]]), match: shorten(match.text), round: match.round,
    score: scoreWords(view, words, view.num[t], view.den[t]), count: result.counts[t], threshold,
  }) : "";
  const news = [
    saved.urls ? say(words, "new_urls", { n: saved.urls }) : "",
    saved.lines ? say(words, "new_lines", { n: saved.lines }) : "",
  ];
  const fresh = saved.urls + saved.lines > 0;
  let other = fresh ? say(words, "later_news", { news: joinParts(words, news) }) : words.later_nothing;
  if (view.succeeded === true) other += fresh ? words.false_stop : words.succeeded_anyway;
  if (result.trips.length > 1) other += ` ${say(words, "more_requests", { n: result.trips.length - 1 })}`;
  return { verdict, reason, other, kind: "trip" };
}

function standing(view, words, total) {
  return say(words, view.waits ? "verdict_waiting" : "verdict_none", { total });
}

function untripped(view, result, words, threshold, longest, total) {
  const { nearest } = result;
  let reason;
  if (longest < threshold) reason = say(words, "too_long", { threshold, longest });
  else if (nearest.position < 0) reason = words.nothing_similar;
  else reason = say(words, "nearest", { count: nearest.count, threshold, round: view.number[nearest.position] });
  return { verdict: standing(view, words, total), reason, other: "", kind: "none" };
}
