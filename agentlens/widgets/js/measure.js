// Widths of texts: asking the browser is slow, and the same few are asked for with every move.

const MOST = 2000;
const widths = new Map();

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
