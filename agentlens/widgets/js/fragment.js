// HTML from Python and what it can be dragged by, for the lesson.

// Python escapes what it writes; here nothing that could run is let in, whatever it wrote.
export function fragment(html) {
  const body = new DOMParser().parseFromString(html || "", "text/html").body;
  for (const node of body.querySelectorAll("script, iframe, object, embed, link, img")) node.remove();
  for (const node of body.querySelectorAll("*")) {
    for (const { name } of [...node.attributes]) {
      if (name.startsWith("on") || name === "href" || name === "src") node.removeAttribute(name);
    }
  }
  return [...body.childNodes].map((node) => document.importNode(node, true));
}

// The value that a place on the picture means, on the grid of its control.
export function dragged(at, [, from, to, low, high], step) {
  const part = Math.min(1, Math.max(0, (at - from) / (to - from)));
  const value = low + Math.round((part * (high - low)) / step) * step;
  return Number(Math.min(high, Math.max(low, value)).toFixed(6));
}
