import { fullRanges, isOverruled, isStale, loadPayload, recount, recut } from "./state.js";
import { ranAt } from "./count.js";
import { extent } from "./data.js";
import { axesOf, planLayout } from "./scale.js";
import { readColours } from "./colours.js";
import { fitCanvas } from "./canvas.js";
import { paintOver } from "./draw.js";
import { arcs, nodeSize, nodesOf, paintLetters, paintMarks } from "./marks.js";
import { paintGutters } from "./gutter.js";
import { makeHandles, placeHandles } from "./handles.js";
import { makeMap } from "./map.js";
import { makeTip, roundWords } from "./tip.js";
import { plotlyReady, whenIdle } from "./loader.js";
import { makePlot } from "./plot.js";
import { verdictOf } from "./verdict.js";
import { buildFrame, placeHead, showVerdict } from "./frame.js";
import { watchTheme } from "./theme.js";
import { watchPointer } from "./pointer.js";
import { keepKeys } from "./keys.js";
import { watchPrint } from "./print.js";

// The stage: one thread of a run, counted anew in the browser. It needs no kernel once it is there.

const WIDE = 900, MAP_WIDTH = 244, MAP_GAP = 24;
const SHORT = 6; // milliseconds: a third of a frame

function makeStage(model, el) {
  const dom = buildFrame(el);
  const state = { similarity: [4, 5], threshold: 2, selected: -1, hovered: -1, zoom: null, confirmed: null };
  const dirty = { payload: true, cut: true, count: true, plot: true, colours: true, done: true };
  let frame = 0, ahead = 0, plot = null, waiting = null, closed = false, held = false, printed = false, sent = "", spent = 0;

  function schedule(...what) {
    for (const name of what) dirty[name] = true;
    if (!frame && !closed) frame = requestAnimationFrame(update);
  }

  function set(change, done, early) {
    held = !done;
    if (change.similarity) state.similarity = change.similarity;
    if (change.threshold) state.threshold = change.threshold;
    schedule("count", ...(done ? ["cut", "plot", "done"] : []));
    if (early && !ahead && spent < SHORT) drawAhead();
  }

  // A move is known before the frame that shows it, which need not wait for what is drawn by then.
  // Once a frame, if that is soon done; a later move is drawn in the frame, and Python told there.
  function drawAhead() {
    ahead = requestAnimationFrame(() => { ahead = 0; if (!frame) push(); });
    now();
    dom.root.getBoundingClientRect(); // lay out now what has changed, else the frame would
  }

  function now() { cancelAnimationFrame(frame); update(); }

  function update() {
    const began = performance.now();
    frame = 0;
    if (closed) return;
    if (dirty.payload) readPayload();
    if (dirty.cut) cutAnew();
    if (dirty.count || dirty.cut) recount(state);
    if (dirty.colours) state.colours = readColours(dom.root);
    if (dirty.cut || dirty.plot || dirty.colours) arrange();
    paint();
    if (plot && dirty.plot) drawPlot();
    if (dirty.told && state.selected >= 0) {
      dom.live.textContent = roundWords(state, state.selected).map(([text]) => text).join("; ");
    } else if (dirty.done) dom.live.textContent = `${state.said.verdict} ${state.said.reason}`;
    if (!ahead) push();
    for (const name of Object.keys(dirty)) dirty[name] = false;
    spent = held ? performance.now() - began : 0;
  }

  // Lanes that change fade in, so that the eye sees that they did.
  function cutAnew() {
    const before = state.layout && String(state.layout.lane);
    recut(state);
    if (dirty.payload || before === undefined || before === String(state.layout.lane)) return;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const layer of [dom.still, dom.plotly]) layer.animate?.([{ opacity: 0.25 }, { opacity: 1 }], 150);
  }

  function readPayload() {
    const payload = model.get("payload") || {};
    const before = state.view;
    Object.assign(state, loadPayload(payload));
    const same = before && before.n === state.view.n && before.thread === state.view.thread;
    state.similarity = model.get("similarity") || state.similarity;
    state.threshold = model.get("threshold") || state.threshold;
    state.selected = model.get("selected") ?? -1;
    state.confirmed = model.get("confirmed") || null;
    const time = model.get("x") === "time" && state.view.times;
    if (!same || time !== state.time) state.zoom = null;
    state.time = time;
    const words = (payload.words || {})[model.get("lang") || payload.lang || "en"] || {};
    state.words = words;
    state.computedAt = payload.similarity || null;
    state.loading = payload.n === undefined;
    state.hovered = -1;
    dirty.cut = dirty.count = dirty.plot = dirty.done = true;
  }

  function arrange() {
    state.width = dom.root.clientWidth;
    const width = Math.max(260, Math.floor(state.width || 800));
    const wide = width >= WIDE;
    dom.root.classList.toggle("al-wide", wide);
    const main = wide ? width - MAP_WIDTH - MAP_GAP : width;
    state.mapWidth = wide ? MAP_WIDTH : Math.min(width, 420);
    state.plan = planLayout(main, state.layout.lanes.length, main < 600);
    state.ranges = fullRanges(state);
    state.coarse = matchMedia("(pointer: coarse)").matches;
    dom.plot.style.height = `${state.plan.height}px`;
    dom.plot.style.width = `${main}px`;
    const family = getComputedStyle(dom.root).fontFamily;
    state.font = (size, weight = 400) => `${weight} ${size}px ${family}`;
  }

  function paint() {
    const drawn = plot && plot.axes && !dirty.plot && !waiting ? plot.axes : null;
    state.axes = axesOf(state.plan, drawn, state.ranges);
    state.plotted = !!drawn;
    state.node = nodeSize(state.axes, state.view, state.time);
    state.ghostAt = (i) => { const t = state.result.tripOf[state.view.sequence[i]]; return t >= 0 && (ranAt(state.result, t) ? i > t : i >= t); };
    state.arcsOf = (i) => arcs(state.view, state.layout, state.index, state.time, i, i);
    state.nodesOf = (i) => nodesOf(state, i);
    state.said = state.loading ? { verdict: state.words.loading || "…", reason: "", other: "", kind: "loading" } : verdictOf(state);
    state.outcome = state.said.verdict;
    const empty = state.loading || !state.view.n;
    const anew = dirty.cut || dirty.plot || dirty.colours; // marks stay while a handle moves
    if (!empty) {
      if (!drawn && anew) paintMarks(fitCanvas(dom.still, state.plan.width, state.plan.height), state);
      const ctx = fitCanvas(dom.over, state.plan.width, state.plan.height);
      paintOver(ctx, state);
      paintLetters(ctx, state);
      paintGutters(ctx, state);
      map.paint(state, anew);
    }
    // The page is changed after all is painted: a font set in between would make it lay out twice.
    showVerdict(dom, state.said, state.words, isStale(state));
    dom.body.hidden = empty;
    if (empty) return;
    dom.still.style.visibility = drawn ? "hidden" : "visible";
    dom.plotly.style.visibility = drawn ? "visible" : "hidden";
    placeHandles(handles, state);
    map.name();
    dom.reset.hidden = !state.zoom;
    dom.reset.textContent = state.words.whole_run || "";
    dom.plot.setAttribute("aria-label", `${state.words.plot_label || ""} ${state.said.verdict}`);
  }

  // Plotly redraws when the browser has nothing better to do; until then the canvas shows it all.
  function drawPlot() {
    if (waiting) waiting();
    waiting = whenIdle(() => {
      if (held) { drawPlot(); return; } // a handle in motion comes first
      waiting = null;
      if (!closed && plot) draw();
    });
  }

  function draw() {
    plot.draw(state).then(() => { if (!closed) schedule(); }, (error) => {
      console.warn("agentlens: plotly could not draw", error);
      plot = null;
      schedule();
    });
  }

  function push() {
    const now = { similarity: state.similarity, threshold: state.threshold, selected: state.selected, trip: state.result.trip };
    const key = JSON.stringify(now);
    if (key === sent) return;
    sent = key;
    for (const [name, value] of Object.entries(now)) {
      if (JSON.stringify(model.get(name)) !== JSON.stringify(value)) model.set(name, value);
    }
    model.save_changes();
  }

  function zoomTo(range) {
    const [low, high] = extent(state.view, state.time);
    state.zoom = range && (range[0] > low + 1e-9 || range[1] < high - 1e-9) ? range : null;
    schedule("plot");
  }

  function select(position) {
    if (position === state.selected) return;
    state.selected = position;
    schedule("told");
  }

  const tip = makeTip(dom.plot);
  const handles = makeHandles(dom.plot, () => state, set);
  const map = makeMap(dom.map, set);
  const pointer = watchPointer(dom, state, { tip, select, schedule, zoomTo });
  const unwatch = watchTheme(dom.root, () => (printed ? "light" : model.get("theme") || "auto"), () => schedule("colours", "plot"));
  const unkeep = keepKeys(dom.root);
  const unprint = watchPrint(dom.root, (on) => { printed = on; unwatch.apply(); schedule("colours", "plot"); now(); });
  dom.reset.addEventListener("click", () => zoomTo(null));

  const heard = {
    "change:payload": () => schedule("payload"),
    "change:lang": () => schedule("payload"),
    "change:x": () => schedule("payload"),
    "change:theme": () => { unwatch.apply(); schedule("colours", "plot"); },
    "change:confirmed": () => {
      state.confirmed = model.get("confirmed");
      if (!state.result || isOverruled(state)) schedule("count"); // else there is nothing new to show
    },
    "change:selected": () => { state.selected = model.get("selected") ?? -1; schedule(); },
    "change:similarity": () => fromPython("similarity"),
    "change:threshold": () => fromPython("threshold"),
  };
  function fromPython(name) {
    const value = model.get(name);
    if (held || JSON.stringify(value) === JSON.stringify(state[name])) return;
    state[name] = value;
    schedule("count", "cut", "plot", "done");
  }
  for (const [name, act] of Object.entries(heard)) model.on(name, act);
  const resized = new ResizeObserver(() => {
    placeHead(dom);
    if (dom.root.clientWidth === state.width) return; // what was arranged already
    unwatch.apply(); // a host may render into an element that it shows later: it has no colours before
    schedule("colours", "plot");
  });
  resized.observe(dom.root);
  plotlyReady(model, (model.get("payload") || {}).isolated).then((Plotly) => {
    if (!Plotly || closed) return;
    plot = makePlot(Plotly, dom.plotly, { zoomed: zoomTo, reset: () => zoomTo(null) });
    schedule("plot");
  });
  update();

  return () => {
    closed = true;
    for (const waits of [frame, ahead]) cancelAnimationFrame(waits);
    resized.disconnect();
    for (const undo of [unwatch, unkeep, unprint, pointer, handles.close]) undo();
    for (const [name, act] of Object.entries(heard)) model.off(name, act);
    if (waiting) waiting();
    if (plot) plot.close();
    if (dom.slot) dom.slot.remove();
    el.replaceChildren();
  };
}

export default { render: ({ model, el }) => makeStage(model, el) };
