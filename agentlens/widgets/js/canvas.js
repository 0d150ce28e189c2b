// What every canvas needs: its size, the widths of its texts, patterns.

export function fitCanvas(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  const w = Math.round(width * scale), h = Math.round(height * scale);
  const other = canvas.width !== w || canvas.height !== h; // a new size clears it
  if (other) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  if (!other) ctx.clearRect(0, 0, width, height);
  return ctx;
}

const MOST = 2000;
const widths = new Map();

// Asking the browser is slow, and the same few are asked for with every move.
export function textWidth(ctx, text) {
  const key = `${ctx.font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size >= MOST) widths.clear();
    width = ctx.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

// A text, or as many of its first letters as fit and an ellipsis.
export function ellipsis(ctx, text, width) {
  if (textWidth(ctx, text) <= width) return text;
  const letters = Array.from(text), cut = (n) => `${letters.slice(0, n).join("")}…`;
  let low = 0, high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(ctx, cut(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return low ? cut(low) : "";
}

// States and counterfactual rounds differ by pattern too, never by colour alone.
const made = new Map();

function tile(key, size, paint) {
  if (!made.has(key)) {
    const canvas = document.createElement("canvas");
    const scale = window.devicePixelRatio || 1;
    canvas.width = canvas.height = Math.round(size * scale);
    const ctx = canvas.getContext("2d");
    ctx.scale(canvas.width / size, canvas.height / size);
    paint(ctx, size);
    if (made.size > 64) made.clear();
    made.set(key, canvas);
  }
  return made.get(key);
}

function patternOf(ctx, canvas, size) {
  const pattern = ctx.createPattern(canvas, "repeat");
  pattern.setTransform(new DOMMatrix().scale(size / canvas.width));
  return pattern;
}

export function hatch(ctx, colour, size = 6, width = 1) {
  const canvas = tile(`h${colour}${size}${width}`, size, (c, s) => {
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    for (const shift of [-s, 0, s]) { c.moveTo(shift - 1, s + 1); c.lineTo(shift + s + 1, -1); }
    c.stroke();
  });
  return patternOf(ctx, canvas, size);
}

export function dotted(ctx, colour, size = 6) {
  const canvas = tile(`d${colour}${size}`, size, (c, s) => {
    c.fillStyle = colour;
    c.beginPath();
    c.arc(s / 2, s / 2, 1.2, 0, 7);
    c.fill();
  });
  return patternOf(ctx, canvas, size);
}
