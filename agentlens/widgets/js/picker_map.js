import { cellAt, gainOf, settingAt, similarityText } from "./picker_data.js";
import { fade, inkOn, rampColour } from "./colours.js";
import { fitCanvas, hatch, textWidth } from "./canvas.js";
import { element } from "./dom.js";

// The map of all settings: a column for each plateau of similarity, a row for each threshold, and a
// crosshair that a pointer or the arrow keys move. No grid: between two borders nothing changes.

const GRID_LEFT = 30, GRID_TOP = 4, GRID_BOTTOM = 36;

export function makePickerMap(host, scene, move) {
  const canvas = element("canvas", { tabIndex: 0 }), tip = element("div", { className: "al-picker-note" });
  canvas.setAttribute("role", "slider");
  host.append(canvas, tip);
  let box = null, dragging = false;

  function placeOf(event) {
    const x = event.offsetX, y = event.offsetY, { data } = scene;
    const column = Math.floor((x - GRID_LEFT) / box.wide), k = data.grid.length - Math.floor((y - GRID_TOP) / box.high);
    return [Math.min(Math.max(column, 0), data.columns.length - 1), Math.min(Math.max(k, 1), data.grid.length)];
  }
  canvas.addEventListener("pointerdown", (event) => {
    dragging = true;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    move(...placeOf(event), false);
  });
  canvas.addEventListener("pointermove", (event) => { if (dragging) move(...placeOf(event), false); });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, () => { if (dragging) { dragging = false; move(scene.column, scene.threshold, true); } });
  }
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const last = scene.data.columns.length - 1;
    move(Math.min(Math.max(scene.column + step[0], 0), last), Math.min(Math.max(scene.threshold + step[1], 1), scene.data.grid.length), true);
  });

  return function paint() {
    const { data, colours, words, column, threshold } = scene;
    const rows = data.grid.length, count = data.columns.length;
    const width = Math.max(220, host.clientWidth), wide = (width - GRID_LEFT - 2) / Math.max(1, count), high = Math.max(20, Math.min(30, 300 / rows));
    box = { wide, high };
    const ctx = fitCanvas(canvas, width, GRID_TOP + rows * high + GRID_BOTTOM);
    const gains = data.grid.map((line) => line.map((cell) => gainOf(data, cell, scene.prevalence, scene.value)));
    const flat = gains.flat(), low = Math.min(...flat), most = Math.max(...flat), span = most - low || 1;
    const dead = data.columns.map((_, c) => data.grid.every((line) => !line[c][4].query));
    const seen = new Set();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const hatched = {
      none: hatch(ctx, fade(colours.ink, 0.14), 7), dead: hatch(ctx, fade(colours.ink, 0.28), 7),
      unreachable: hatch(ctx, fade(colours.ink, 0.28), 4),
    };
    const write = fitter(ctx, wide - 3, colours.family);
    for (let k = 1; k <= rows; k++) {
      const y = GRID_TOP + (rows - k) * high;
      for (let c = 0; c < count; c++) {
        const cell = cellAt(data, c, k), x = GRID_LEFT + c * wide, stops = cell[4].query > 0;
        const kind = stops ? "stops" : k > data.longest ? "unreachable" : dead[c] ? "dead" : "none";
        const part = (gains[k - 1][c] - low) / span, colour = rampColour(colours, part);
        seen.add(kind);
        ctx.fillStyle = stops ? colour : fade(colours.ink, 0.04);
        ctx.fillRect(x, y, wide - 1, high - 1);
        if (!stops) {
          ctx.fillStyle = hatched[kind];
          ctx.fillRect(x, y, wide - 1, high - 1);
          continue;
        }
        ctx.fillStyle = inkOn(colour);
        if (gains[k - 1][c] > most - 1e-9) { corner(ctx, x + wide - 1, y); seen.add("best"); }
        write(`${cell[0]}/${cell[2]}`, x + wide / 2, y + high / 2);
      }
      ctx.fillStyle = k === threshold ? colours.ink : colours.muted;
      ctx.font = `${k === threshold ? "600 " : ""}11px ${colours.family}`;
      ctx.fillText(String(k), GRID_LEFT - 16, y + high / 2);
    }
    axis(ctx, scene, wide, GRID_TOP + rows * high, width);
    mark(ctx, scene, data.default, wide, high, rows, false);
    mark(ctx, scene, [column, threshold], wide, high, rows, true);
    const names = ["dead", "unreachable", "none"].filter((kind) => seen.has(kind)).map((kind) => `▨ ${words[kind]}`);
    tip.textContent = [words.gain, ...(seen.has("best") ? [`◥ ${words.best}`] : []), ...names].join(" · ");
    canvas.setAttribute("aria-label", `${words.similarity}, ${words.threshold}`);
    canvas.setAttribute("aria-valuemin", "0");
    canvas.setAttribute("aria-valuemax", String(count - 1));
    canvas.setAttribute("aria-valuenow", String(column));
    canvas.setAttribute("aria-valuetext", `${words.similarity} ${similarityText(settingAt(data, column, threshold))}, ${words.threshold} ${threshold}`);
  };
}

// A function that writes a text in the largest size in which it fits, if any does. Digits have one
// width, so a cell is not measured: that would cost more than all the rest of a repaint.
function fitter(ctx, room, family) {
  const sizes = [11, 10, 9].map((size) => {
    const font = `${size}px ${family}`;
    ctx.font = font;
    return { font, digit: textWidth(ctx, "0"), stroke: textWidth(ctx, "/") };
  });
  return (text, x, y) => {
    const fits = sizes.find(({ digit, stroke }) => (text.length - 1) * digit + stroke <= room);
    if (!fits) return;
    if (ctx.font !== fits.font) ctx.font = fits.font;
    ctx.fillText(text, x, y);
  };
}

function corner(ctx, right, y) {
  ctx.beginPath();
  ctx.moveTo(right, y);
  ctx.lineTo(right - 6, y);
  ctx.lineTo(right, y + 6);
  ctx.fill();
}

function mark(ctx, { colours, words }, [column, threshold], wide, high, rows, current) {
  const x = GRID_LEFT + column * wide - 0.5, y = GRID_TOP + (rows - threshold) * high - 0.5;
  ctx.setLineDash(current ? [] : [3, 3]);
  if (current) { // the crosshair stays outside the cells: it must not strike their numbers out
    ctx.fillStyle = colours.ink;
    wedge(ctx, GRID_LEFT - 1, y + high / 2, -5, 4);
    wedge(ctx, x + wide / 2, GRID_TOP + rows * high + 1, 4, 5);
  }
  for (const [line, colour] of [[4, colours.ground], [2, colours.ink]]) {
    ctx.lineWidth = line;
    ctx.strokeStyle = colour;
    ctx.strokeRect(x, y, wide, high);
  }
  ctx.setLineDash([]);
}

// A small triangle that points at a row (width below 0) or a column.
function wedge(ctx, x, y, w, h) {
  ctx.beginPath();
  ctx.moveTo(x, y);
  if (w < 0) { ctx.lineTo(x + w, y - h); ctx.lineTo(x + w, y + h); } else { ctx.lineTo(x - w, y + h); ctx.lineTo(x + w, y + h); }
  ctx.fill();
}

function axis(ctx, { colours, words, data, column }, wide, y, width) {
  ctx.font = `11px ${colours.family}`;
  ctx.textBaseline = "top";
  const used = [], order = data.edges.map((_, i) => i).sort((a, b) => Math.abs(a - column) - Math.abs(b - column));
  for (const i of order) {
    const text = String(Math.round(data.edges[i] * 1000) / 1000), half = textWidth(ctx, text) / 2 + 3;
    const x = Math.min(GRID_LEFT + (i + 1) * wide, width - half);
    if (used.some(([a, b]) => x - half < b && x + half > a)) continue;
    used.push([x - half, x + half]);
    ctx.fillStyle = i === column ? colours.ink : colours.muted;
    ctx.fillRect(GRID_LEFT + (i + 1) * wide - 1, y, 1, 3);
    ctx.fillText(text, x, y + 7);
  }
  ctx.textAlign = "left";
  ctx.fillStyle = colours.muted;
  ctx.fillText(words.similarity + " →", GRID_LEFT, y + 22);
}
