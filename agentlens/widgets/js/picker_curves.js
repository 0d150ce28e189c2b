import { cellAt, gainOf, percent, rightOf, wilsonOf } from "./picker_data.js";
import { fade } from "./colours.js";
import { fitCanvas } from "./canvas.js";
import { element } from "./dom.js";
import { say } from "./words.js";

// ROC, precision and cost along the similarities of the present threshold, with the bands that so
// few runs leave; a plain limit of rounds is always there to compare with.

const PLOT_LEFT = 46, PLOT_TOP = 10, PLOT_RIGHT = 24, PLOT_BOTTOM = 38, PLOT_HEIGHT = 250;

export function makePickerCurves(host, scene) {
  const tabs = element("div", { className: "al-picker-tabs" }), canvas = element("canvas");
  const note = element("div", { className: "al-picker-note" });
  tabs.setAttribute("role", "tablist");
  canvas.setAttribute("role", "img");
  host.append(tabs, canvas, note);
  let kind = "roc";
  const buttons = ["roc", "pr", "cost"].map((name) => {
    const button = element("button", { type: "button" });
    button.setAttribute("role", "tab");
    button.addEventListener("click", () => { kind = name; paint(); });
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const at = buttons.findIndex(([one]) => one === name), [next, other] = buttons[(at + step + 3) % 3];
      kind = next;
      other.focus();
      paint();
    });
    tabs.append(button);
    return [name, button];
  });

  function paint() {
    const { words } = scene;
    for (const [name, button] of buttons) {
      button.textContent = words[name];
      button.setAttribute("aria-selected", String(name === kind));
    }
    const ctx = fitCanvas(canvas, Math.max(240, host.clientWidth), PLOT_HEIGHT);
    const made = { roc, pr, cost }[kind](scene);
    draw(ctx, scene, made, Math.max(240, host.clientWidth));
    note.textContent = [`━ ${say(words, "this_k", { k: scene.threshold })}`, `┄ ${words.baseline}`, `● ${words.here}`, `○ ${words.default}`].join("   ");
    canvas.setAttribute("aria-label", `${words[kind]}: ${words[`${kind}_x`]}, ${words[`${kind}_y`]}`);
  }
  return paint;
}

function roc(scene) {
  const { data } = scene;
  const spot = (cell) => [share(cell[0], data.good), share(cell[2], data.loops)];
  const band = (cell) => ({ x: wilsonOf(cell[0], data.good, data.z), y: wilsonOf(cell[2], data.loops, data.z) });
  return { name: "roc", ...along(scene, spot, band), x: [0, 1], y: [0, 1], px: percent, py: percent,
    base: data.steps.map(([, sg, sl]) => [share(sg, data.good), share(sl, data.loops)]) };
}

function pr(scene) {
  const { data, prevalence } = scene;
  const spot = (cell) => [share(cell[2], data.loops), rightOf(data, cell, prevalence)];
  const band = (cell) => {
    const [lo, hi] = wilsonOf(cell[0], data.good, data.z), found = share(cell[2], data.loops);
    const right = (lost) => (prevalence * found) / (prevalence * found + (1 - prevalence) * lost || 1);
    return { x: wilsonOf(cell[2], data.loops, data.z), y: [right(hi), right(lo)] };
  };
  return { name: "pr", ...along(scene, spot, band), x: [0, 1], y: [0, 1], px: percent, py: percent,
    base: data.steps.map(([, sg, sl]) => [share(sl, data.loops), rightOf(data, [sg, 0, sl], prevalence)]) };
}

function cost(scene) {
  const { data, prevalence, value } = scene;
  const gain = (cell) => gainOf(data, cell, prevalence, value);
  const band = (cell) => {
    const [lo, hi] = wilsonOf(cell[0], data.good, data.z);
    const at = (lost) => gain([lost * data.good, 0, cell[2], cell[3]]);
    return { x: null, y: [at(hi), at(lo)] };
  };
  const made = along(scene, (cell, c) => [data.edges[c], gain(cell)], band);
  const best = Math.max(...data.steps.map(([, sg, sl, saved]) => gain([sg, 0, sl, saved])));
  const tops = [...made.line.map((p) => p[1]), ...made.bands.flatMap((b) => b.y), made.other[1], best, 0].filter(Number.isFinite);
  const from = data.edges.length ? Math.min(...data.edges) : 0;
  return { name: "cost", ...made, x: [Math.max(0, from - 0.05), 1], y: [Math.min(...tops), Math.max(...tops)], step: true,
    px: (x) => String(Math.round(x * 100) / 100), py: (y) => y.toFixed(1), base: [[0, best], [1, best]] };
}

function share(n, of) { return of ? n / of : NaN; }

function along({ data, column, threshold }, spot, band) {
  const cells = data.columns.map((_, c) => cellAt(data, c, threshold)), here = cells[column];
  return {
    line: cells.map(spot), bands: cells.map(band), here: spot(here, column), cross: band(here),
    other: spot(cellAt(data, ...data.default), data.default[0]),
  };
}

function draw(ctx, { colours, words }, made, width) {
  const [x0, x1] = made.x, [y0, y1] = made.y, inner = width - PLOT_LEFT - PLOT_RIGHT, high = PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM;
  const X = (x) => PLOT_LEFT + ((x - x0) / (x1 - x0 || 1)) * inner, Y = (y) => PLOT_TOP + (1 - (y - y0) / (y1 - y0 || 1)) * high;
  ctx.font = `11px ${colours.family}`;
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  for (let i = 0; i <= 4; i++) {
    const x = x0 + ((x1 - x0) * i) / 4, y = y0 + ((y1 - y0) * i) / 4;
    ctx.fillStyle = colours.grid;
    ctx.fillRect(PLOT_LEFT, Math.round(Y(y)), inner, 1);
    ctx.fillStyle = colours.muted;
    ctx.textAlign = "right";
    ctx.fillText(made.py(y).replace(".0 %", " %"), PLOT_LEFT - 5, Y(y));
    ctx.textAlign = "center";
    ctx.fillText(made.px(x).replace(".0 %", " %"), X(x), PLOT_TOP + high + 12);
  }
  ctx.fillText(words[`${made.name}_x`] + " →", PLOT_LEFT + inner / 2, PLOT_TOP + high + 28);
  ctx.textAlign = "left";
  ctx.fillText("↑ " + words[`${made.name}_y`], PLOT_LEFT + 4, PLOT_TOP + 7);
  ctx.save();
  ctx.beginPath();
  ctx.rect(PLOT_LEFT - 6, PLOT_TOP - 6, inner + 12, high + 12);
  ctx.clip();
  area(ctx, made, X, Y, fade(colours.accent, 0.14));
  path(ctx, made.base, X, Y, colours.muted, [4, 4]);
  path(ctx, made.line, X, Y, colours.accent, [], made.step);
  for (const p of made.line) dot(ctx, X(p[0]), Y(p[1]), 2.5, colours.accent, true);
  const [hx, hy] = made.here, { x, y } = made.cross;
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  if (x) { ctx.moveTo(X(x[0]), Y(hy)); ctx.lineTo(X(x[1]), Y(hy)); }
  ctx.moveTo(X(hx), Y(y[0]));
  ctx.lineTo(X(hx), Y(y[1]));
  ctx.stroke();
  dot(ctx, X(made.other[0]), Y(made.other[1]), 6, colours.ink, false);
  dot(ctx, X(hx), Y(hy), 5, colours.ink, true);
  ctx.restore();
}

// The band: over the points' own uncertainty in y, from left to right.
function area(ctx, made, X, Y, colour) {
  const order = made.line.map((p, i) => [p[0], made.bands[i].y]).filter(([x, y]) => Number.isFinite(x) && y.every(Number.isFinite)).sort((a, b) => a[0] - b[0]);
  if (order.length < 2) return;
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (const [x, [low]] of order) ctx.lineTo(X(x), Y(low));
  for (const [x, [, high]] of order.reverse()) ctx.lineTo(X(x), Y(high));
  ctx.fill();
}

function path(ctx, points, X, Y, colour, dash, step) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash(dash);
  ctx.beginPath();
  let before = null;
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    if (step && before !== null) ctx.lineTo(X(before), Y(y));
    ctx.lineTo(X(x), Y(y));
    before = x;
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function dot(ctx, x, y, r, colour, full) {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fillStyle = ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  if (full) ctx.fill(); else ctx.stroke();
}
