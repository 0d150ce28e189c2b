import { centre } from "./data.js";
import { clusterColour, fade, inkOn } from "./colours.js";
import { paintArc } from "./draw.js";
import { levelValue } from "./exact.js";
import { LETTERS } from "./lanes.js";
import { visible } from "./scale.js";

// What stands still: nodes, arcs, dots. Plotly draws it once it is there (plot.js); this draws the
// same marks on a canvas until then, and for good where plotly never comes.

// All arcs where they are few; of many those of rounds that repeat at this similarity; beyond a few
// hundred only the arc of the round under the pointer.
const FEW_ARCS = 60, MOST_ARCS = 300;

export function shownArcs(view, list, cut) {
  if (list.length <= FEW_ARCS) return list;
  const some = list.filter(([, , , , q]) => view.query[view.queries.round[q]] === q && view.rank[view.queries.round[q]] >= cut);
  return some.length <= MOST_ARCS ? some : [];
}

export function arcOpacity(count) {
  return count <= FEW_ARCS ? 0.35 : Math.max(0.14, (0.35 * FEW_ARCS) / count);
}

// Diameter of a node by the room that a round has, and whether its letter fits inside.
export function nodeSize(axes, view, time) {
  const spacing = axes.x.length / Math.max(1, time ? view.n : axes.x.high - axes.x.low);
  const room = Math.abs(axes.lanes.scale);
  if (spacing >= 24 && room >= 20) return { size: 18, letters: true, ring: 3, spacing };
  const size = Math.max(4, Math.min(10, spacing * 0.85));
  return { size, letters: false, ring: size >= 9 ? 2 : size >= 7 ? 1.25 : 0, spacing };
}

export function dotSize(size) {
  return Math.max(3, Math.min(7, size * 0.7));
}

export function scoreValue(view, i) {
  return levelValue([view.num[i], view.den[i]], view.measure);
}

// Containment of the query that a call shows, in [0, 1].
export function callScore(view, c) {
  const q = view.calls.query[c];
  return q < 0 ? 0 : levelValue([view.queries.num[q], view.queries.den[q]], view.measure);
}

// Ends of the arc of each query with a match among the calls shown: [x0, y0, x1, y1, query].
export function arcs(view, layout, index, time, from = 0, to = view.n - 1) {
  const found = [];
  const { round, match } = view.queries;
  for (let q = 0; q < (round ? round.length : 0); q++) {
    if (match[q] < 0 || round[q] < from || round[q] > to) continue;
    const a = index.ofQuery[q], b = index.ofQuery[match[q]];
    if (a < 0 || b < 0 || a === b) continue;
    found.push([
      centre(view, view.calls.round[b], time), layout.y[b], centre(view, view.calls.round[a], time), layout.y[a], q,
    ]);
  }
  return found;
}

export function paintMarks(ctx, scene) {
  const { view, axes, time, layout, colours } = scene;
  ctx.save();
  ctx.beginPath();
  ctx.rect(axes.x.offset - 10, 0, axes.x.length + 20, axes.band.top);
  ctx.clip();
  const [from, to] = visible(view, axes, time);
  paintGrid(ctx, scene);
  const ink = fade(colours.ink, arcOpacity(scene.arcList.length));
  for (const arc of scene.arcList) paintArc(ctx, scene, arc, ink, 1);
  paintDots(ctx, scene, from, to);
  const painted = new Set();
  const { round } = view.calls;
  const { size, ring } = scene.node;
  for (let c = scene.index.firstOf[from] ?? 0; c < (round ? round.length : 0) && round[c] <= to; c++) {
    const x = axes.x.px(centre(view, round[c], time)), y = axes.lanes.px(layout.y[c]);
    if (scene.node.spacing < 3) { // one mark a pixel and lane is all that can be seen
      const key = Math.round(x) * 64 + Math.round(layout.y[c] * 4);
      if (painted.has(key)) continue;
      painted.add(key);
    }
    paintNode(ctx, scene, c, x, y, size, ring);
  }
  ctx.restore();
}

function paintGrid(ctx, { axes, layout, colours }) {
  ctx.strokeStyle = colours.grid;
  ctx.lineWidth = 1;
  ctx.beginPath();
  const heights = [
    ...layout.lanes.map((_, k) => axes.lanes.px(k)), ...[0, 0.5, 1].map((v) => axes.contain.px(v)), axes.count.px(0),
  ];
  for (const y of heights) {
    ctx.moveTo(axes.x.offset, Math.round(y) + 0.5);
    ctx.lineTo(axes.x.offset + axes.x.length, Math.round(y) + 0.5);
  }
  ctx.stroke();
}

function paintNode(ctx, { view, layout, colours }, c, x, y, size, ring) {
  const kind = layout.kinds[c], r = size / 2;
  ctx.beginPath();
  if (kind === "more") ctx.rect(x - r, y - r, size, size);
  else if (kind === "other") { ctx.moveTo(x, y - r * 0.7); ctx.lineTo(x + r * 0.7, y); ctx.lineTo(x, y + r * 0.7); ctx.lineTo(x - r * 0.7, y); ctx.closePath(); }
  else ctx.arc(x, y, kind === "single" ? r * 0.85 : r, 0, 7);
  if (kind === "cluster" || kind === "more") {
    ctx.fillStyle = clusterColour(colours, layout.group[c]);
    ctx.fill();
    const width = ring * callScore(view, c);
    if (width > 0.2) { ctx.strokeStyle = colours.ink; ctx.lineWidth = width; ctx.stroke(); }
  } else if (kind === "other") {
    ctx.fillStyle = colours.muted;
    ctx.fill();
  } else {
    ctx.fillStyle = colours.ground;
    ctx.fill();
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1.25;
    ctx.stroke();
  }
}

function paintDots(ctx, { view, axes, time, layout, colours, index, node }, from, to) {
  const size = dotSize(node.size);
  const painted = new Set();
  for (let i = from; i <= to; i++) {
    if (view.query[i] < 0) continue;
    const x = axes.x.px(centre(view, i, time)), y = axes.contain.px(scoreValue(view, i));
    if (node.spacing < 3) {
      const key = Math.round(x) * 1024 + Math.round(y);
      if (painted.has(key)) continue;
      painted.add(key);
    }
    const call = index.ofQuery[view.query[i]];
    const colour = clusterColour(colours, call >= 0 ? layout.group[call] : -1);
    ctx.beginPath();
    ctx.arc(x, y, size / 2, 0, 7);
    if (view.role[i] === 0) { ctx.fillStyle = colour; ctx.fill(); }
    else { ctx.fillStyle = colours.ground; ctx.fill(); ctx.strokeStyle = colour; ctx.lineWidth = 1.25; ctx.stroke(); }
  }
}

// Letters inside nodes, where there is room; above either layer.
export function paintLetters(ctx, scene) {
  const { view, axes, time, layout, colours } = scene;
  if (!scene.node.letters) return;
  const [from, to] = visible(view, axes, time);
  ctx.font = scene.font(11, 700);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const { round } = view.calls;
  for (let c = scene.index.firstOf[from] ?? 0; c < (round ? round.length : 0) && round[c] <= to; c++) {
    const letter = layout.group[c] < 0 ? "" : LETTERS[layout.group[c]] || "";
    if (!letter) continue;
    const x = axes.x.px(centre(view, round[c], time));
    if (x < axes.x.offset || x > axes.x.offset + axes.x.length) continue;
    const ghost = scene.result.trip >= 0 && scene.ghostAt(round[c]);
    const colour = clusterColour(colours, layout.group[c]);
    ctx.fillStyle = ghost ? fade(colours.ink, 0.75) : inkOn(colour);
    ctx.fillText(letter, x, axes.lanes.px(layout.y[c]) + 0.5);
  }
}

// Where the nodes of a round stand, and their size, in pixels.
export function nodesOf({ view, axes, layout, index, node, time }, i) {
  const found = [];
  const x = axes.x.px(centre(view, i, time));
  for (let c = index.firstOf[i]; c < index.firstOf[i + 1]; c++) {
    found.push([x, axes.lanes.px(layout.y[c]), node.size]);
  }
  return found;
}
