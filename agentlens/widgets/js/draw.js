import { ranAt } from "./count.js";
import { cellOf, centre } from "./data.js";
import { fade } from "./colours.js";
import { visible } from "./scale.js";
import { paintBands } from "./bands.js";
import { hatch, textWidth } from "./canvas.js";

// The upper canvas: all that moves with a handle. It never takes the pointer.

export function paintOver(ctx, scene) {
  const { axes } = scene;
  const top = 0, bottom = axes.band.top + axes.band.height;
  ctx.save();
  ctx.beginPath();
  ctx.rect(axes.x.offset, top, axes.x.length, bottom);
  ctx.clip();
  paintRequests(ctx, scene);
  paintCounterfactual(ctx, scene);
  paintSimilarity(ctx, scene);
  paintCount(ctx, scene);
  paintBands(ctx, scene);
  paintSelection(ctx, scene);
  ctx.restore();
  paintTrips(ctx, scene);
}

function line(ctx, x0, y0, x1, y1, colour, width = 1, dash = []) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
  ctx.setLineDash([]);
}

// A thin separator where a user message started a new request.
function paintRequests(ctx, { view, axes, time, colours }) {
  const bottom = axes.count.offset + axes.count.length;
  let last = -Infinity;
  for (let i = 1; i < view.n; i++) {
    if (view.request[i] === view.request[i - 1]) continue;
    const x = Math.round(axes.x.px(cellOf(view, i, time)[0])) + 0.5;
    if (x - last < 3) continue;
    last = x;
    line(ctx, x, axes.lanes.offset, x, bottom, colours.muted, 1, [1, 3]);
  }
}

// From each trip to the end of its request: it happened, but would not have.
export function counterfactualSpans(view, result, time) {
  return result.trips.map((trip) => [
    cellOf(view, trip, time)[ranAt(result, trip) ? 1 : 0], cellOf(view, view.sequenceEnd[view.sequence[trip]], time)[1],
  ]);
}

function paintCounterfactual(ctx, { axes, colours, ghosts }) {
  const bottom = axes.band.top + axes.band.height;
  const right = axes.x.offset + axes.x.length;
  for (const [from, to] of ghosts) {
    const x = Math.max(axes.x.offset, axes.x.px(from)), end = Math.min(right, axes.x.px(to));
    if (end <= x) continue;
    const width = Math.max(1, end - x);
    ctx.fillStyle = fade(colours.ground, 0.6);
    ctx.fillRect(x, axes.lanes.offset - 2, width, axes.contain.offset + axes.contain.length - axes.lanes.offset + 2);
    ctx.fillStyle = hatch(ctx, fade(colours.ink, 0.13), 7);
    ctx.fillRect(x, axes.lanes.offset - 2, width, bottom - axes.lanes.offset + 2);
  }
}

function paintSimilarity(ctx, { view, axes, colours, similarity }) {
  if (!view.asked) return;
  const y = axes.contain.px(similarity[0] / similarity[1]);
  const top = axes.contain.px(1.08);
  ctx.fillStyle = fade(colours.accent, 0.07);
  ctx.fillRect(axes.x.offset, top, axes.x.length, Math.max(0, y - top));
  line(ctx, axes.x.offset, y, axes.x.offset + axes.x.length, y, colours.accent, 1.5);
}

function paintCount(ctx, { view, result, axes, time, colours, threshold }) {
  const { counts } = result;
  const [from, to] = visible(view, axes, time);
  const base = axes.count.px(0);
  const path = new Path2D(), fill = new Path2D();
  let open = false, columnX = -1, low = 0, high = 0;
  const height = axes.count.length;
  const drop = () => {
    if (columnX < 0) return;
    const a = axes.count.px(low), b = axes.count.px(high);
    path.moveTo(columnX + 0.5, Math.min(a, b) - 0.75);
    path.lineTo(columnX + 0.5, Math.max(a, b) + 0.75);
    if (high > 0) fill.rect(columnX, b, 1, base - b);
    columnX = -1;
  };
  for (let i = from; i <= to; i++) {
    const count = counts[i];
    const [c0, c1] = cellOf(view, i, time);
    const x0 = axes.x.px(c0), x1 = axes.x.px(c1);
    if (count < 0) { drop(); open = false; continue; }
    if (x1 - x0 < 1) { // several rounds a pixel: one column from the lowest to the highest
      const column = Math.floor(x0);
      if (column !== columnX) { drop(); columnX = column; low = count; high = count; }
      else { low = Math.min(low, count); high = Math.max(high, count); }
      open = false;
      continue;
    }
    drop();
    const y = axes.count.px(count);
    if (open) path.lineTo(x0, y);
    else path.moveTo(x0, y);
    path.lineTo(x1, y);
    if (count > 0) fill.rect(x0, y, x1 - x0, base - y);
    open = true;
  }
  drop();
  ctx.save();
  ctx.beginPath();
  ctx.rect(axes.x.offset, axes.count.offset - 2, axes.x.length, height + 4);
  ctx.clip();
  ctx.fillStyle = fade(colours.ink, 0.1);
  ctx.fill(fill);
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = 1.5;
  ctx.lineJoin = "miter";
  ctx.stroke(path);
  const y = axes.count.px(threshold);
  if (view.asked) line(ctx, axes.x.offset, y, axes.x.offset + axes.x.length, y, colours.accent, 1.5);
  ctx.restore();
}

// One mark at each trip, with its flag; only the first one is named.
function paintTrips(ctx, scene) {
  const { view, result, axes, time, colours, words } = scene;
  const bottom = axes.band.top + axes.band.height;
  const right = axes.x.offset + axes.x.length;
  let last = -Infinity;
  result.trips.forEach((trip, k) => {
    const exact = axes.x.px(cellOf(view, trip, time)[0]);
    if (exact < axes.x.offset - 1 || exact > right + 1) return;
    const x = Math.max(exact, axes.x.offset + 1);
    if (x - last < 2) return;
    last = x;
    line(ctx, x, axes.lanes.offset - 6, x, bottom, colours.trip, 2);
    const dot = axes.x.px(centre(view, trip, time));
    if (dot < right) {
      ctx.fillStyle = colours.trip;
      ctx.beginPath();
      ctx.arc(Math.max(dot, x), axes.count.px(result.counts[trip]), 4, 0, 7);
      ctx.fill();
    }
    if (k === 0) flag(ctx, scene, x, axes.lanes.offset - 6, words.flag);
  });
}

function flag(ctx, { colours, font, axes }, x, y, text) {
  ctx.font = font(12, 600);
  const width = textWidth(ctx, text) + 12;
  const left = x + width > axes.x.offset + axes.x.length + 40 ? x - width + 1 : x - 1;
  ctx.fillStyle = colours.trip;
  ctx.beginPath();
  ctx.rect(left, y - 16, width, 18);
  ctx.fill();
  ctx.fillStyle = colours.ground;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, left + 6, y - 6.5);
}

// The selected or hovered round: a dotted line through all strips, and its arc drawn solid.
function paintSelection(ctx, scene) {
  const { view, axes, time, colours, selected, hovered } = scene;
  for (const [position, strong] of [[hovered, false], [selected, true]]) {
    if (position < 0 || position >= view.n) continue;
    const x = axes.x.px(centre(view, position, time));
    line(ctx, x, axes.lanes.offset, x, axes.band.top, strong ? colours.ink : colours.muted, 1, [2, 3]);
    for (const arc of scene.arcsOf(position)) paintArc(ctx, scene, arc, colours.ink, 1.5);
    if (strong) {
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 1.5;
      for (const [cx, cy, size] of scene.nodesOf(position)) {
        ctx.beginPath();
        ctx.arc(cx, cy, size / 2 + 3.5, 0, 7);
        ctx.stroke();
      }
    }
  }
}

export function paintArc(ctx, { axes }, [x0, y0, x1, y1], colour, width) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  let first = true;
  for (const [x, y] of arcPoints(x0, y0, x1, y1, axes.lanes.scale, axes.x.scale)) {
    if (first) ctx.moveTo(axes.x.px(x), axes.lanes.px(y));
    else ctx.lineTo(axes.x.px(x), axes.lanes.px(y));
    first = false;
  }
  ctx.stroke();
}

// A shallow curve above both ends, in the units of the axes (lanes count downwards).
export function arcPoints(x0, y0, x1, y1, laneScale, xScale, steps = 14) {
  const span = Math.abs(x1 - x0) * Math.abs(xScale);
  const lift = Math.min(0.62, (6 + span * 0.06) / Math.max(1, Math.abs(laneScale)));
  const points = [];
  for (let k = 0; k <= steps; k++) {
    const t = k / steps;
    points.push([x0 + (x1 - x0) * t, y0 + (y1 - y0) * t - lift * 4 * t * (1 - t)]);
  }
  return points;
}
