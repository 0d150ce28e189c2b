import { readColours } from "./colours.js";

// Counts at a setting, and what they are worth: the picker's arithmetic, all on whole numbers.

export function wilsonOf(hits, n, z) {
  if (!n) return [0, 1];
  const p = hits / n, zz = z * z, scale = 1 + zz / n;
  const middle = (p + zz / (2 * n)) / scale, half = (z / scale) * Math.sqrt((p * (1 - p)) / n + zz / (4 * n * n));
  return [hits ? Math.max(0, middle - half) : 0, hits === n ? 1 : Math.min(1, middle + half)];
}

// Rounds gained a run of production: what loops save, less good runs lost, less a finalizer each.
export function gainOf(data, [sg, , sl, saved], prevalence, value) {
  const loops = Math.max(1, data.loops), good = Math.max(1, data.good), lost = sg / good;
  const stopped = prevalence * (sl / loops) + (1 - prevalence) * lost;
  return prevalence * (saved / loops) - (1 - prevalence) * value * lost - stopped;
}

export function rightOf(data, [sg, , sl], prevalence) {
  const yes = prevalence * (sl / Math.max(1, data.loops)), no = (1 - prevalence) * (sg / Math.max(1, data.good));
  return yes + no ? yes / (yes + no) : NaN;
}

export function cellAt(data, column, threshold) {
  return data.grid[Math.min(threshold, data.grid.length) - 1][column];
}

// What happens to one run: [round, harmful, saved, rule]; round 0 where it is not stopped.
export function stateOf(run, column, threshold) {
  const steps = run.s[Math.min(threshold, run.s.length) - 1];
  const step = steps.find(([last]) => column <= last) || steps[steps.length - 1] || [0, 0, 0, 0, ""];
  return step.slice(1);
}

// Its outcome, worst first; the glyph says it without colour.
export const OUTCOMES = {
  false_stop: { glyph: "✗", tone: "bad", order: 0 },
  harmless: { glyph: "◇", tone: "bad", order: 1 },
  missed: { glyph: "!", tone: "warn", order: 2 },
  caught: { glyph: "■", tone: "good", order: 3 },
  kept: { glyph: "✓", tone: "good", order: 4 },
  waits: { glyph: "…", tone: "idle", order: 5 },
  unlabelled: { glyph: "·", tone: "idle", order: 6 },
};

export function outcomeOf(run, [round, harmful]) {
  if (run.label === "unknown") return "unlabelled";
  if (run.label === "good") return round ? (harmful ? "false_stop" : "harmless") : "kept";
  return run.waits ? "waits" : round ? "caught" : "missed";
}

// The similarity to name at a cell: a policy's own where it stands, else the end of the plateau.
export function settingAt(data, column, threshold) {
  const own = data.own.find(([c, k]) => c === column && k === threshold);
  return own ? own[2] : data.columns[column];
}

export function percent(x) {
  return Number.isFinite(x) ? `${(100 * x).toFixed(1)} %` : "–";
}

export function signed(n) {
  return n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "±0";
}

export function similarityText([p, q]) {
  const x = p / q, text = String(Math.round(x * 1000) / 1000);
  return Math.abs(Number(text) - x) < 1e-12 ? text : `${p}/${q}`.length < 8 ? `${p}/${q}` : text;
}

export function pickerColours(root) {
  const of = readColours(root);
  return { ...of, bad: of.trip, warn: of.partial, good: of.completed, idle: of.running,
    family: getComputedStyle(root).fontFamily };
}
