import { cellOf } from "./data.js";
import { grouped } from "./words.js";

// Where everything sits, in pixels. `plan` decides it; `axesOf` reads it back from what is drawn,
// and is the only place that touches plotly's own axes (its `_fullLayout` is not a public interface).

export const AIR = 12;

export function planLayout(width, laneCount, narrow) {
  const gap = narrow ? 26 : AIR;
  const left = narrow ? 34 : 132;
  const right = 58;
  const laneHeight = Math.min(220, Math.max(120, laneCount * 24));
  let top = 22;
  const lanes = { top: top + (narrow ? 8 : 0), height: laneHeight };
  top = lanes.top + laneHeight + gap;
  const contain = { top, height: 120 };
  top += 120 + gap;
  const count = { top, height: 90 };
  top += 90 + gap;
  const band = { top, height: 20 };
  const axis = { top: top + 20 + 6, height: 22 };
  return { width, left, right, narrow, lanes, contain, count, band, axis, height: axis.top + axis.height, inner: width - left - right };
}

export const CONTAIN_RANGE = [-0.08, 1.08];

export function axesOf(plan, drawn, ranges) {
  const full = drawn && drawn._fullLayout;
  if (full && full.xaxis && full.yaxis3) {
    return makeAxes(plan, {
      x: fromPlotly(full.xaxis), lanes: fromPlotly(full.yaxis),
      contain: fromPlotly(full.yaxis2), count: fromPlotly(full.yaxis3),
    });
  }
  return makeAxes(plan, {
    x: { offset: plan.left, length: plan.inner, range: ranges.x },
    lanes: { offset: plan.lanes.top, length: plan.lanes.height, range: ranges.lanes },
    contain: { offset: plan.contain.top, length: plan.contain.height, range: CONTAIN_RANGE },
    count: { offset: plan.count.top, length: plan.count.height, range: ranges.count },
  });
}

function fromPlotly(axis) {
  return { offset: axis._offset, length: axis._length, range: axis.range.map(Number) };
}

function makeAxes(plan, { x, lanes, contain, count }) {
  const across = (axis) => {
    const [low, high] = axis.range, scale = axis.length / (high - low);
    return { ...axis, low, high, scale, px: (v) => axis.offset + (v - low) * scale, value: (p) => low + (p - axis.offset) / scale };
  };
  const down = (axis) => {
    const [low, high] = axis.range, scale = axis.length / (high - low);
    return { ...axis, low, high, scale, px: (v) => axis.offset + axis.length - (v - low) * scale, value: (p) => low + (axis.offset + axis.length - p) / scale };
  };
  return { x: across(x), lanes: down(lanes), contain: down(contain), count: down(count), band: plan.band };
}

// First and last position whose cell touches the visible range.
export function visible(view, axes, time) {
  const { low, high } = axes.x;
  let from = 0, to = view.n - 1;
  if (!time) return [Math.max(0, Math.ceil(low - 0.5)), Math.min(view.n - 1, Math.floor(high + 0.5))];
  let a = 0, b = view.n;
  while (a < b) { const m = (a + b) >> 1; if (cellOf(view, m, true)[1] < low) a = m + 1; else b = m; }
  from = a;
  b = view.n;
  while (a < b) { const m = (a + b) >> 1; if (cellOf(view, m, true)[0] <= high) a = m + 1; else b = m; }
  to = a - 1;
  return [from, to];
}

const ROUND_STEPS = [1, 2, 5];
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000];

function stepFor(atLeast, time) {
  if (time) {
    const found = TIME_STEPS.find((s) => s >= atLeast);
    if (found && atLeast > 0.5) return found;
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(atLeast, 1e-6)));
  return ROUND_STEPS.concat(10).map((s) => s * power).find((s) => s >= atLeast * 0.9999);
}

// A time from the start, in the unit that the step asks for: 30 s, 5 min, 1:30 h, 2 d.
export function clock(seconds, step) {
  const two = (v) => String(v).padStart(2, "0");
  if (step < 1) return `${seconds.toFixed(1)} s`;
  if (step < 60) {
    const s = Math.round(seconds);
    return s < 120 ? `${s} s` : `${Math.floor(s / 60)}:${two(s % 60)} min`;
  }
  const minutes = Math.round(seconds / 60);
  if (step >= 86400) return `${Math.round(minutes / 1440)} d`;
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)} h`;
}

// [value, label] pairs; with rounds the label is the round's own number.
export function ticks(view, axes, time) {
  const { low, high, scale } = axes.x;
  const step = time ? stepFor(72 / scale, true) : Math.max(1, Math.round(stepFor(Math.max(1, 44 / scale), false)));
  const found = [];
  if (time) {
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) found.push([v, clock(v, step)]);
    return found;
  }
  const [from, to] = visible(view, axes, false);
  for (let i = from; i <= to; i++) {
    if (step === 1 || view.number[i] % step === 0) found.push([i, grouped(view.number[i])]);
  }
  return found;
}
