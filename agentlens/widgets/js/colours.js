// Colours come from the page's CSS variables (Python writes them from one table); a canvas and
// plotly need them resolved to plain rgb.

const NAMES = [
  "ink", "muted", "ground", "grid", "trip", "running", "stalled", "waiting_human", "finalizing",
  "completed", "partial", "failed", "accent",
  ...Array.from({ length: 8 }, (_, i) => `c${i}`), ...Array.from({ length: 6 }, (_, i) => `v${i}`),
];

export function readColours(root) {
  const probe = document.createElement("span");
  probe.style.cssText = "position:absolute;visibility:hidden;pointer-events:none;forced-color-adjust:none";
  root.appendChild(probe);
  const found = {};
  for (const name of NAMES) {
    probe.style.color = "";
    probe.style.color = `var(--al-${name.replace("_", "-")})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  found.clusters = Array.from({ length: 8 }, (_, i) => found[`c${i}`]);
  found.ramp = Array.from({ length: 6 }, (_, i) => found[`v${i}`]);
  return found;
}

export function parseRgb(colour) {
  const parts = colour.match(/[\d.]+/g);
  return parts ? parts.slice(0, 4).map(Number) : [0, 0, 0];
}

// A page's colour as it is computed may come as color(srgb …), oklch(…) or lab(…): painted, it is rgb.
function pageRgb(colour) {
  if (/^rgba?\(/.test(colour)) return parseRgb(colour);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = ctx.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

export function fade(colour, alpha) {
  const [r, g, b] = parseRgb(colour);
  return `rgba(${r},${g},${b},${alpha})`;
}

export function luminance(colour) {
  const [r, g, b] = parseRgb(colour).map((v) => {
    const s = v / 255;
    return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Black or white, whichever is read more easily on a colour.
export function inkOn(colour) {
  return luminance(colour) > 0.179 ? "#000000" : "#ffffff"; // where both are 4.6 : 1
}

// The colour of a place t in [0, 1] on the sequential scale.
export function rampColour(colours, t) {
  const stops = colours.ramp, at = Math.min(1, Math.max(0, t)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at)), part = at - low;
  const a = parseRgb(stops[low]), b = parseRgb(stops[low + 1]);
  return `rgb(${[0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * part)).join(",")})`;
}

// Whether the ground under an element is dark: the first painted background above it decides.
export function groundIsDark(element) {
  for (let node = element; node; node = node.parentElement || (node.getRootNode && node.getRootNode().host)) {
    const [r, g, b, alpha = 1] = pageRgb(getComputedStyle(node).backgroundColor);
    if (alpha > 0.5) return luminance(`rgb(${r},${g},${b})`) < 0.18;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark");
}

export function clusterColour(colours, group) {
  return group < 0 ? colours.ink : colours.clusters[group % 8];
}
