import { formatSimilarity, levelSimilarity } from "./exact.js";
import { tripAt } from "./count.js";
import { currentColumn } from "./map_columns.js";
import { fade, inkOn, rampColour } from "./colours.js";
import { fitCanvas, hatch, textWidth } from "./canvas.js";
import { element } from "./dom.js";
import { say } from "./words.js";

// The trip map: similarity across, threshold up, a cell says before which round it would have
// stopped. Columns are plateaus: between two borders nothing changes, so there is no grid to miss one.

export const MAP_LEFT = 22, MAP_TOP = 3;

// What a key does to the setting: columns to the right, rows up.
const WALKS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export function makeMap(host, set) {
  const title = element("div", { className: "al-map-title" }), legend = element("div", { className: "al-map-legend" });
  const canvas = element("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "application"); // the arrow keys walk from cell to cell
  host.append(title, canvas, legend);
  canvas.addEventListener("click", (event) => {
    const cell = cells && cells.at(event.offsetX, event.offsetY);
    if (!cell) return;
    const kept = cell.place === currentColumn(scene); // that column holds the similarity already
    set(kept ? { threshold: cell.threshold } : { similarity: cell.column.similarity, threshold: cell.threshold }, true);
  });
  canvas.addEventListener("keydown", (event) => {
    const [across, up] = WALKS[event.key] || [0, 0];
    if (!cells || (!across && !up)) return;
    event.preventDefault();
    const column = scene.mapColumns[currentColumn(scene) + across], threshold = scene.threshold + up;
    if (column && across) set({ similarity: column.similarity }, true);
    else if (up && threshold >= 1 && threshold <= scene.mapRows) set({ threshold }, true);
  });
  canvas.addEventListener("pointermove", (event) => {
    const cell = cells && cells.at(event.offsetX, event.offsetY);
    canvas.title = cell ? cell.title : "";
    canvas.style.cursor = cell ? "pointer" : "";
  });
  let cells = null, ground = null, scene = null, ringed = "";
  return {
    paint(now, anew) {
      scene = now;
      if (anew || !ground) {
        cells = paintMap({ title, canvas, legend }, scene);
        ground = cells && copyOf(canvas);
      }
      if (!cells) return;
      const ring = `${currentColumn(scene)} ${scene.threshold}`;
      if (ring === ringed && !anew) return; // what does not change costs no frame
      ringed = ring;
      const ctx = canvas.getContext("2d");
      ctx.save();
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.clearRect(0, 0, canvas.width, canvas.height);
      ctx.drawImage(ground, 0, 0);
      ctx.restore();
      paintRing(ctx, scene, cells);
    },
    name() {
      canvas.setAttribute("aria-label", say(scene.words, "map_label", { outcome: scene.outcome, rows: scene.mapRows }));
    },
  };
}

function paintMap({ title, canvas, legend }, scene) {
  const { view, words, colours, records, mapRows: rows, mapColumns: columns, longest, font, mapWidth } = scene;
  const none = !view.asked;
  for (const part of [title, canvas, legend]) part.hidden = none;
  if (none) return null;
  title.textContent = words.map_title;
  const size = Math.max(2, Math.min(28, Math.floor(((mapWidth - MAP_LEFT - 16) / Math.max(1, columns.length)) * 2) / 2));
  const high = Math.min(28, Math.max(18, size));
  const width = Math.max(mapWidth, MAP_LEFT + columns.length * size + 2), height = MAP_TOP + rows * high + 36;
  const ctx = fitCanvas(canvas, width, height);
  const shade = shading(scene);
  const seen = new Set();
  for (let k = 1; k <= rows; k++) {
    const y = MAP_TOP + (rows - k) * high;
    columns.forEach((column, c) => {
      const x = MAP_LEFT + c * size, gap = size > 6 ? 1 : 0;
      const trip = tripAt(records, k, column.cut);
      const kind = trip >= 0 ? "trip" : k > longest ? "unreachable" : column.rank === 0 ? "dead" : "none";
      seen.add(kind);
      paintCell(ctx, scene, { x, y, w: size - gap, h: high - 1, trip, kind, shade });
    });
    ctx.font = font(11);
    ctx.fillStyle = colours.muted;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillText(String(k), MAP_LEFT - 6, y + high / 2);
  }
  paintBorders(ctx, scene, size, MAP_TOP + rows * high);
  fillLegend(legend, words, seen);
  return {
    size, high, shade, width,
    at(px, py) {
      const c = Math.floor((px - MAP_LEFT) / size), k = rows - Math.floor((py - MAP_TOP) / high);
      if (c < 0 || c >= columns.length || k < 1 || k > rows) return null;
      const trip = tripAt(records, k, columns[c].cut), column = columns[c];
      const values = { similarity: formatSimilarity(column.similarity), threshold: k, round: trip >= 0 ? view.number[trip] : "" };
      return { column, place: c, threshold: k, trip, title: say(words, trip >= 0 ? "map_cell_trip" : "map_cell_none", values) };
    },
  };
}

function copyOf(canvas) {
  const copy = element("canvas", { width: canvas.width, height: canvas.height });
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy;
}

// The current setting: its ring, and always its number, on a plate where the cell is too narrow.
function paintRing(ctx, scene, { size, high, shade, width }) {
  const { view, colours, font, records, mapColumns: columns, mapRows: rows, threshold } = scene;
  const current = currentColumn(scene);
  if (current < 0 || threshold > rows) return;
  const x = MAP_LEFT + current * size, y = MAP_TOP + (rows - threshold) * high;
  for (const [line, colour] of [[4, colours.ground], [2, colours.ink]]) {
    ctx.lineWidth = line;
    ctx.strokeStyle = colour;
    ctx.strokeRect(x - 0.5, y - 0.5, size, high);
  }
  const trip = tripAt(records, threshold, columns[current].cut);
  if (trip < 0) return;
  const text = String(view.number[trip]), room = size - 3;
  if (fitting(ctx, font, text, room)) return; // the cell itself says it
  const small = [10, 9, 8].find((px) => { ctx.font = font(px, 600); return textWidth(ctx, text) <= room; });
  if (!small) ctx.font = font(11, 600);
  const need = small ? size - 3 : textWidth(ctx, text) + 6;
  const left = Math.max(0, Math.min(width - need - 1, x - 0.5 + (size - need) / 2));
  const colour = rampColour(colours, shade(trip));
  ctx.fillStyle = colour;
  ctx.fillRect(left, y + 1.5, need, high - 4);
  if (!small) {
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.ink;
    ctx.strokeRect(left, y + 1.5, need, high - 4);
  }
  ctx.fillStyle = inkOn(colour);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, left + need / 2, y + high / 2);
}

// Whether a number fits a cell at 11 px; the font is set to the boldest that does.
function fitting(ctx, font, text, room) {
  return [600, 400].find((bold) => {
    ctx.font = font(11, bold);
    return textWidth(ctx, text) <= room;
  });
}

// The scale runs over the trips that the map holds, so that early ones differ too.
function shading({ records, mapRows, mapColumns: columns }) {
  let low = Infinity, high = -Infinity;
  for (let k = 1; k <= mapRows; k++) {
    for (const { cut } of columns) {
      const trip = tripAt(records, k, cut);
      if (trip >= 0) { low = Math.min(low, trip); high = Math.max(high, trip); }
    }
  }
  return (trip) => (high > low ? (trip - low) / (high - low) : 0.5);
}

function paintCell(ctx, { view, colours, font }, { x, y, w, h, trip, kind, shade }) {
  if (kind === "trip") {
    const colour = rampColour(colours, shade(trip));
    ctx.fillStyle = colour;
    ctx.fillRect(x, y, w, h);
    const text = String(view.number[trip]);
    if (fitting(ctx, font, text, w - 2)) {
      ctx.fillStyle = inkOn(colour);
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillText(text, x + w / 2, y + h / 2 + 0.5);
    }
    return;
  }
  ctx.fillStyle = fade(colours.ink, kind === "none" ? 0.05 : 0.03);
  ctx.fillRect(x, y, w, h);
  const [strength, step] = { none: [0.2, 9], dead: [0.3, 6], unreachable: [0.42, 3] }[kind];
  ctx.fillStyle = hatch(ctx, fade(colours.ink, strength), step);
  ctx.fillRect(x, y, w, h);
}

// The exact value at the right border of each plateau, as many as fit: first those near the setting.
function paintBorders(ctx, { colours, font, mapColumns: columns, words, view, similarity }, size, y) {
  ctx.font = font(11);
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  ctx.fillStyle = colours.muted;
  const labels = [], at = similarity[0] / similarity[1];
  columns.forEach(({ rank }, i) => {
    if (!rank) return;
    const value = levelSimilarity(view.levels[rank - 1], view.measure);
    labels.push({ x: MAP_LEFT + (i + 1) * size - 0.5, text: formatSimilarity(value), away: Math.abs(value[0] / value[1] - at) });
  });
  const used = [];
  for (const { x, text } of labels.sort((a, b) => a.away - b.away || b.x - a.x)) {
    const half = textWidth(ctx, text) / 2 + 2;
    if (used.some(([from, to]) => x - half < to && x + half > from)) continue;
    used.push([x - half, x + half]);
    ctx.fillRect(Math.round(x) - 0.5, y, 1, 4);
    ctx.fillText(text, x, y + 6);
  }
  ctx.textAlign = "left";
  ctx.fillText(words.map_axis, 0, y + 22);
}

function fillLegend(legend, words, seen) {
  const wanted = ["none", "dead", "unreachable"].filter((kind) => seen.has(kind)).map((kind) => [kind, words[`map_${kind}`]]);
  const key = JSON.stringify(wanted);
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  legend.replaceChildren(...wanted.map(([kind, text]) =>
    element("div", {}, [element("span", { className: `al-swatch al-swatch-${kind}` }), text])));
}
