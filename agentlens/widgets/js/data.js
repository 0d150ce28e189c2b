import { rankScores } from "./exact.js";

// A payload as typed arrays. Columns come as binary buffers, in a report as base64 text, and in
// tests as plain lists.

const TYPES = { i1: Int8Array, u1: Uint8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

export function unpackColumn(column) {
  if (Array.isArray(column)) return Float64Array.from(column, (v) => (v === null ? NaN : v));
  if (!column) return new Float64Array(0);
  const Type = TYPES[column.type];
  let bytes;
  if (typeof column.data === "string") {
    const text = atob(column.data);
    bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  } else {
    const { buffer, byteOffset, byteLength } = column.data;
    bytes = new Uint8Array(buffer, byteOffset, byteLength);
  }
  return new Type(bytes.slice().buffer); // a copy, so that it is aligned
}

function unpackAll(columns) {
  return Object.fromEntries(Object.entries(columns || {}).map(([name, c]) => [name, unpackColumn(c)]));
}

// What every other module reads: one thread's rounds in order, its calls, queries and forest.
export function viewOf(payload) {
  const rounds = unpackAll(payload.rounds);
  const n = payload.n || 0;
  const { levels, rank } = rankScores(rounds.num || [], rounds.den || []);
  let sequences = 0;
  for (let i = 0; i < n; i++) sequences = Math.max(sequences, rounds.sequence[i] + 1);
  const end = new Int32Array(sequences);
  for (let i = 0; i < n; i++) end[rounds.sequence[i]] = i;
  let total = 0, requests = 0;
  for (let i = 0; i < n; i++) {
    if (rounds.acts[i]) total = Math.max(total, rounds.number[i]); // a last answer is no round more
    if (i === 0 || rounds.request[i] !== rounds.request[i - 1]) requests += 1;
  }
  if (!total && n) total = rounds.number.reduce((a, b) => Math.max(a, b));
  return {
    ...rounds,
    n, levels, rank, sequences, total, requests,
    sequenceEnd: end,
    measure: payload.measure,
    strict: !!payload.strict,
    enabled: payload.enabled !== false,
    judged: !!payload.judged,
    waits: !!payload.waits,
    recount: payload.recount !== false,
    times: !!payload.times,
    calls: unpackAll(payload.calls),
    queries: unpackAll(payload.queries),
    forest: unpackAll(payload.forest),
    texts: payload.texts || [],
    tools: payload.tools || [],
    kinds: payload.kinds || [],
    path: payload.path || [],
    rules: payload.rules || [],
    thread: payload.thread || "",
    succeeded: payload.succeeded ?? null,
    asked: !!(payload.queries && rounds.query && rounds.query.some((q) => q >= 0)),
  };
}

// The cell of a round on the x axis: [from, to].
export function cellOf(view, i, time) {
  return time ? [view.t0[i], view.t1[i]] : [i - 0.5, i + 0.5];
}

// Where the marks of a round sit.
export function centre(view, i, time) {
  return time ? (view.t0[i] + view.t1[i]) / 2 : i;
}

export function extent(view, time) {
  if (!view.n) return [0, 1];
  if (!time) return [-0.5, view.n - 0.5];
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < view.n; i++) {
    low = Math.min(low, view.t0[i]);
    high = Math.max(high, view.t1[i]);
  }
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

// The position whose centre is nearest; centres rise with the position.
export function nearestPosition(view, x, time) {
  if (!view.n) return -1;
  let low = 0, high = view.n - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (centre(view, middle, time) < x) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && x - centre(view, low - 1, time) < centre(view, low, time) - x) low -= 1;
  return low;
}
