import { reaches } from "./exact.js";

// Cutting the single-linkage forest: neighbours in its order stay together where the gap between
// them still reaches the similarity. The same as agentlens.progress.clusters, Forest.cut.

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const MOST_LANES = 8;

// For each query the number of its cluster, clusters numbered in the order of the forest.
export function cutForest(forest, similarity, measure, strict) {
  const { order = [], num = [], den = [] } = forest;
  const cluster = new Int32Array(order.length);
  let current = -1;
  for (let j = 0; j < order.length; j++) {
    const joined = j > 0 && num[j - 1] > 0 && reaches([num[j - 1], den[j - 1]], similarity, measure, strict);
    if (!joined) current += 1;
    cluster[order[j]] = current;
  }
  return cluster;
}

// The lanes from top to bottom, and for each call its lane, its group and where it sits in the lane.
// A group is a cluster of at least two queries, numbered as lettered: those with a lane first.
export function layLanes(view, similarity) {
  const cluster = cutForest(view.forest, similarity, view.measure, view.strict);
  const size = new Map(), first = new Map();
  for (let q = 0; q < cluster.length; q++) {
    size.set(cluster[q], (size.get(cluster[q]) || 0) + 1);
    if (!first.has(cluster[q])) first.set(cluster[q], q);
  }
  const shared = [...size.keys()].filter((c) => size.get(c) > 1).sort((a, b) => a - b);
  const biggest = [...shared].sort((a, b) => size.get(b) - size.get(a) || a - b).slice(0, MOST_LANES);
  const chosen = biggest.sort((a, b) => a - b);
  const rest = shared.filter((c) => !chosen.includes(c));
  const group = new Map([...chosen, ...rest].map((c, g) => [c, g]));
  const lanes = chosen.map((c, g) => ({
    kind: "cluster", group: g, text: view.texts[view.queries.text[first.get(c)]] || "",
  }));
  const laneOf = { more: -1, single: -1, other: -1 };
  const { calls } = view;
  const count = calls.round ? calls.round.length : 0;
  const lane = new Int32Array(count), groupOf = new Int32Array(count).fill(-1);
  const kinds = new Array(count);
  const seen = new Set();
  for (let c = 0; c < count; c++) {
    const q = calls.query[c];
    if (q < 0) kinds[c] = "other";
    else {
      const g = group.get(cluster[q]);
      groupOf[c] = g === undefined ? -1 : g;
      kinds[c] = g === undefined ? "single" : g < chosen.length ? "cluster" : "more";
    }
    seen.add(kinds[c]);
  }
  for (const kind of ["more", "single", "other"]) {
    if (seen.has(kind)) { laneOf[kind] = lanes.length; lanes.push({ kind, group: -1, text: "" }); }
  }
  for (let c = 0; c < count; c++) lane[c] = kinds[c] === "cluster" ? groupOf[c] : laneOf[kinds[c]];
  return { lanes, lane, group: groupOf, kinds, y: stack(view, lane), cluster };
}

// Calls of one round in one lane ran side by side: they are stacked, not spread along time.
function stack(view, lane) {
  const { round } = view.calls;
  const y = new Float64Array(lane.length);
  let start = 0;
  while (start < lane.length) {
    let end = start;
    while (end < lane.length && round[end] === round[start]) end++;
    if (end === start + 1) { y[start] = lane[start]; start = end; continue; }
    const members = new Map();
    for (let c = start; c < end; c++) {
      if (!members.has(lane[c])) members.set(lane[c], []);
      members.get(lane[c]).push(c);
    }
    for (const [at, list] of members) {
      const step = Math.min(0.36, 0.7 / Math.max(1, list.length - 1));
      list.forEach((c, k) => { y[c] = at + (k - (list.length - 1) / 2) * step; });
    }
    start = end;
  }
  return y;
}

// For each query the call that shows it, or -1; and for each round its first call.
export function callIndex(view) {
  const ofQuery = new Int32Array(view.queries.round ? view.queries.round.length : 0).fill(-1);
  const firstOf = new Int32Array(view.n + 1).fill(view.calls.round ? view.calls.round.length : 0);
  const { round, query } = view.calls;
  for (let c = (round ? round.length : 0) - 1; c >= 0; c--) {
    if (query[c] >= 0) ofQuery[query[c]] = c;
    firstOf[round[c]] = c;
  }
  for (let q = ofQuery.length - 1; q >= 0; q--) { // a call of several queries shows one of them
    if (ofQuery[q] < 0 && view.queries.call) ofQuery[q] = view.queries.call[q];
  }
  for (let i = view.n - 1; i >= 0; i--) firstOf[i] = Math.min(firstOf[i], firstOf[i + 1]);
  return { ofQuery, firstOf };
}
