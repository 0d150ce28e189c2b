import { cellOf } from "./data.js";
import { fade, inkOn } from "./colours.js";
import { dotted, hatch, textWidth } from "./canvas.js";

// The machine's states: what it would have been in, request by request.

// Spans [from, to, state] on the x axis. The path of a trip runs within its round; what follows
// that round stays in the terminal.
export function stateSpans(view, result, time) {
  const spans = [];
  let i = 0;
  while (i < view.n) {
    const s = view.sequence[i];
    let end = i;
    while (end + 1 < view.n && view.sequence[end + 1] === s) end++;
    const trip = result.tripOf[s];
    const path = result.ruleOf.get(trip)?.path || view.path;
    const from = cellOf(view, i, time)[0], to = cellOf(view, end, time)[1];
    if (trip < 0 || trip > end) spans.push([from, to, "running"]);
    else if (trip < i) spans.push([from, to, path[path.length - 1] || "running"]);
    else {
      const [a, b] = cellOf(view, trip, time);
      if (a > from) spans.push([from, a, "running"]);
      const steps = path.length || 1;
      path.forEach((state, k) => {
        const last = k === steps - 1;
        spans.push([a + ((b - a) * k) / steps, last ? to : a + ((b - a) * (k + 1)) / steps, state]);
      });
    }
    i = end + 1;
  }
  return spans;
}

export function paintBands(ctx, scene) {
  const { axes, colours, words } = scene;
  const { top, height } = axes.band;
  const left = axes.x.offset, right = left + axes.x.length;
  ctx.font = scene.font(11);
  ctx.textBaseline = "middle";
  for (const [from, to, state] of scene.spans) {
    const x = Math.max(left, axes.x.px(from)), end = Math.min(right, axes.x.px(to));
    if (end <= x) continue;
    const width = Math.max(1, end - x - (end - x > 4 ? 1 : 0));
    const colour = colours[state] || colours.running;
    ctx.fillStyle = state === "running" ? fade(colour, 0.28) : colour;
    ctx.fillRect(x, top, width, height);
    const overlay = state === "stalled" ? hatch(ctx, fade(inkOn(colour), 0.3), 7, 1.5)
      : state === "waiting_human" ? dotted(ctx, fade(inkOn(colour), 0.5)) : null;
    if (overlay) { ctx.fillStyle = overlay; ctx.fillRect(x, top, width, height); }
    label(ctx, words[`state_${state}`] || state, state, x, top, width, height, state === "running" ? colours.ink : inkOn(colour), colour);
  }
}

function label(ctx, text, state, x, top, width, height, ink, ground) {
  const check = state === "finalizing";
  const need = textWidth(ctx, text);
  const fits = need + (check ? 24 : 12) <= width;
  if (fits) {
    if (state === "stalled" || state === "waiting_human") { // the pattern must not run through the word
      ctx.fillStyle = ground;
      ctx.fillRect(x, top, need + 12, height);
    }
    ctx.fillStyle = ink;
    ctx.textAlign = "left";
    ctx.fillText(text, x + 6, top + height / 2 + 0.5);
  }
  if (check && width >= 12) {
    const cx = x + width - 9, cy = top + height / 2;
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(cx - 4, cy);
    ctx.lineTo(cx - 1, cy + 3);
    ctx.lineTo(cx + 4, cy - 4);
    ctx.stroke();
  }
}

export function stateAt(spans, x) {
  const span = spans.find(([from, to]) => x >= from && x < to);
  return span ? span[2] : null;
}
