import { cutRank, hundredths, levelSimilarity, levelValue } from "./exact.js";

// The query rule, counted anew: the same arithmetic as agentlens.breaker, over ranks of scores.

export const COUNT = 0, NEUTRAL = 1, RESET = 2;

export function cutOf(view, similarity) {
  return cutRank(view.levels, similarity, view.measure, view.strict);
}

// Counts up to and including each trip (-1 after it); at most one trip a sequence: the query
// rule's, or that of another rule, which Python sends with whether it yields where both trip.
export function countRounds(view, cut, threshold) {
  const { n, role, rank, sequence, sequences, fresh } = view;
  const counts = new Int32Array(n);
  const running = new Int32Array(sequences);
  const tripOf = new Int32Array(sequences).fill(-1);
  const trips = [];
  const others = new Map(view.rules.map((r) => [r.position, r]));
  const ruleOf = new Map();
  let nearest = { count: 0, position: -1 };
  for (let i = 0; i < n; i++) {
    const s = sequence[i];
    if (tripOf[s] >= 0) { counts[i] = -1; continue; }
    if (!view.enabled) continue;
    if (role[i] === RESET) running[s] = 0;
    else if (role[i] === COUNT) running[s] = rank[i] >= cut ? running[s] + 1 : 0;
    counts[i] = running[s];
    if (counts[i] > nearest.count) nearest = { count: counts[i], position: i };
    if (fresh && fresh[i]) running[s] = 0; // a search that brought news starts the count anew
    const other = others.get(i);
    const own = role[i] === COUNT && counts[i] >= threshold;
    if (other || own) {
      tripOf[s] = i;
      trips.push(i);
      if (other && !(own && other.yields)) ruleOf.set(i, other);
    }
  }
  return { counts, trips, tripOf, ruleOf, trip: trips.length ? trips[0] : -1, nearest };
}

// For each threshold up to `most` the running records of the sliding-window minimum of ranks:
// [rank, position], ranks rising. Its earliest trip at a cut is the first record that reaches it.
export function tripSurface(view, most) {
  const { n, role, rank, sequence, sequences, fresh } = view;
  const records = Array.from({ length: most + 1 }, () => []);
  const top = new Int32Array(most + 1);
  const minima = Array.from({ length: sequences }, () => new Int32Array(most + 1));
  for (let i = 0; i < n && view.enabled; i++) {
    const m = minima[sequence[i]];
    if (role[i] === RESET) m.fill(0);
    else if (role[i] === COUNT) {
      for (let k = most; k > 1; k--) m[k] = Math.min(m[k - 1], rank[i]);
      m[1] = rank[i];
      for (let k = 1; k <= most; k++) {
        if (m[k] > top[k]) { top[k] = m[k]; records[k].push([m[k], i]); }
      }
    }
    if (fresh && fresh[i]) m.fill(0);
  }
  return records;
}

// Whether the round at a trip still ran: rules that look at results stop the next one.
export function ranAt(result, trip) {
  return !!result.ruleOf.get(trip)?.after;
}

export function tripAt(records, threshold, cut) {
  for (const [rank, position] of records[threshold] || []) if (rank >= cut) return position;
  return -1;
}

// The highest count that any similarity can reach: no threshold above it ever trips.
export function longestRun(view) {
  const running = new Int32Array(view.sequences);
  let longest = 0;
  for (let i = 0; i < view.n; i++) {
    const s = view.sequence[i];
    if (view.role[i] === RESET || (view.role[i] === COUNT && !view.rank[i])) running[s] = 0;
    else if (view.role[i] === COUNT) longest = Math.max(longest, ++running[s]);
    if (view.fresh && view.fresh[i]) running[s] = 0;
  }
  return longest;
}

// Where a key press takes similarity: into the next plateau, on the side that it comes from.
// Up enters just above a level (0.80 -> 0.81), down ends exactly on one (0.81 -> 4/5).
export function nextPlateau(view, similarity, up, only) {
  const { levels, measure, strict } = view;
  const cut = cutRank(levels, similarity, measure, strict);
  const stops = only ? only.filter((r) => r > 0) : levels.map((_, i) => i + 1);
  if (up) {
    const past = stops.find((r) => r >= cut);
    return past === undefined ? null : justAbove(view, past);
  }
  const below = stops.filter((r) => r < cut).pop();
  if (below === undefined) return null;
  const at = levelSimilarity(levels[below - 1], measure);
  return strict ? justAbove(view, below - 1) : at;
}

// A similarity that the level of a rank no longer reaches, but the next one does.
export function justAbove(view, rank) {
  const { levels, measure, strict } = view;
  if (strict && rank > 0) return levelSimilarity(levels[rank - 1], measure, true);
  const low = rank > 0 ? levelValue(levels[rank - 1], measure) : 0;
  for (let step = Math.floor(low * 100 + 1e-9); step <= 100; step++) {
    if (step < 1) continue;
    const candidate = hundredths(step);
    const cut = cutRank(levels, candidate, measure, strict);
    if (cut === rank + 1) return candidate;
    if (cut > rank + 1) break;
  }
  return rank < levels.length ? levelSimilarity(levels[rank], measure) : null;
}
