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
