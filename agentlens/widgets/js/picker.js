import { cellAt, percent, pickerColours, settingAt, signed, similarityText, wilsonOf } from "./picker_data.js";
import { makePickerMap } from "./picker_map.js";
import { makePickerCurves } from "./picker_curves.js";
import { makePickerStrip } from "./picker_strip.js";
import { element } from "./dom.js";
import { say } from "./words.js";
import { watchTheme } from "./theme.js";
import { keepKeys } from "./keys.js";

// The picker: one sentence, the map of all settings, curves, sliders, false stops, the runs.

const SLIDERS = { // name: from a place in 0..100 to a value, back, how it reads
  value: { to: (x) => Math.round(10 ** (x / 100 * 2.5)), from: (v) => (Math.log10(Math.max(1, v)) / 2.5) * 100, text: (v, words) => say(words, "rounds", { n: v }) },
  prevalence: { to: (x) => Math.max(1, Math.round(x * 0.9)) / 100, from: (v) => v * 100 / 0.9, text: (v) => percent(v) },
  alpha: { to: (x) => Math.max(1, Math.round(x / 2.5)) / 100, from: (v) => v * 250, text: (v) => percent(v) },
  delta: { to: (x) => (50 + Math.round(x * 0.49)) / 100, from: (v) => (v * 100 - 50) / 0.49, text: (v) => percent(v) },
};

function render({ model, el }) {
  const part = (name, children = [], tag = "div") => element(tag, { className: `al-picker-${name}` }, children);
  const scene = {}, verdict = part("verdict"), more = part("more"), versus = part("versus");
  const mapTitle = part("head"), left = part("map", [mapTitle]), right = part("side");
  const sliders = part("sliders"), promise = part("promise"), strip = part("strip"), said = part("live");
  const falseTitle = part("head"), falseList = part("false", [], "ul");
  const root = element("div", { className: "al-picker al-theme" }, [
    verdict, more, versus, part("top", [left, right]), sliders, promise, falseTitle, falseList, strip, said,
  ]);
  el.append(root);
  said.setAttribute("aria-live", "polite");
  for (const name of ["value", "prevalence", "alpha", "delta"]) makeSlider(name);

  function makeSlider(name) {
    const text = element("span"), input = element("input", { type: "range", min: 0, max: 100, step: 1 }), out = element("output");
    const look = SLIDERS[name];
    sliders.append(element("label", {}, [text, input, out]));
    input.dataset.name = name;
    const show = () => {
      text.textContent = scene.words[name];
      out.textContent = look.text(model.get(name), scene.words);
      input.value = String(Math.round(look.from(model.get(name))));
      input.setAttribute("aria-valuetext", out.textContent);
    };
    input.addEventListener("input", () => {
      model.set(name, look.to(Number(input.value)));
      model.save_changes();
      read();
      show();
      schedule();
    });
    input.addEventListener("keydown", (event) => event.stopPropagation());
    (scene.sliders ||= []).push(show);
  }

  const paintMap = makePickerMap(left, scene, (column, threshold, settled) => {
    if (column === scene.column && threshold === scene.threshold && !settled) return;
    Object.assign(scene, { column, threshold });
    schedule();
    model.set("cell", [column, threshold]);
    model.save_changes();
  });
  const paintCurves = makePickerCurves(right, scene);
  const paintStrip = makePickerStrip(strip, scene, {
    open: (index) => { model.set("opened", index); model.save_changes(); },
    label: (index, word) => model.send({ type: "label", run: index, label: word }),
  });

  let due = 0, anew = true;
  function schedule() {
    if (!due) due = requestAnimationFrame(() => { due = 0; paint(); });
  }
  function read() {
    const data = model.get("payload"), cell = model.get("cell");
    Object.assign(scene, { data, words: model.get("words"), value: model.get("value"), prevalence: model.get("prevalence"),
      column: Math.min(cell[0], data.columns.length - 1), threshold: Math.min(cell[1], data.grid.length) });
  }
  function paint() {
    if (!scene.data || !root.isConnected || !root.clientWidth) return;
    performance.mark("picker-paint");
    if (anew) scene.colours = pickerColours(root);
    sentence();
    paintMap();
    paintCurves();
    const wrong = paintStrip(anew);
    list(wrong);
    anew = false;
    performance.measure("picker", "picker-paint");
  }

  function sentence() {
    const { data, words, column, threshold } = scene, cell = cellAt(data, column, threshold), other = cellAt(data, ...data.default);
    const unit = words[data.unit], s = similarityText(settingAt(data, column, threshold)), short = (x) => String(Math.round(x * 1000) / 1000);
    verdict.textContent = data.labelled ? say(words, "title", { s, k: threshold, sg: cell[0], good: data.good, sl: cell[2], loops: data.loops, unit }) : words.title_none;
    const [lo, hi] = wilsonOf(cell[0], data.good, data.z);
    more.textContent = say(words, "more", { ftr: percent(cell[0] / data.good), lo: percent(lo), hi: percent(hi), h: cell[1],
      wasted: data.loop_rounds - cell[3], total: data.loop_rounds })
      + " " + say(words, "plateau", { lo: short(column ? data.edges[column - 1] : 0), hi: short(data.edges[column]) }) + (data.labelled < 60 ? "  " + say(words, "few", { n: data.labelled }) : "");
    const usual = similarityText(data.own[1][2]);
    const same = column === data.default[0] && threshold === data.default[1] && s === usual;
    versus.textContent = same ? words.at_default : say(words, "versus", { s: usual, k: data.default[1], df: signed(cell[0] - other[0]), dw: signed(other[3] - cell[3]) });
    mapTitle.textContent = say(words, "map", { unit });
    promise.textContent = `${words.promise}: ${model.get("promise")}`;
    said.textContent = verdict.textContent;
  }

  function list(wrong) {
    const { words } = scene;
    falseTitle.textContent = wrong.length ? say(words, "false_list", { n: wrong.length }) : words.no_false;
    falseList.replaceChildren(...wrong.slice(0, 8).map(({ run, index, state: [round, harmful, , rule] }) => {
      const button = element("button", { type: "button", textContent: run.task || run.name });
      button.addEventListener("click", () => { model.set("opened", index); model.save_changes(); });
      const harm = harmful ? words.harm : words.no_harm;
      return element("li", {}, [button, " — " + say(words, "why", { round, last: run.last, rule, harm })]);
    }), ...(wrong.length > 8 ? [element("li", { textContent: `… ${wrong.length - 8}` })] : []));
  }

  const again = () => { anew = true; read(); scene.sliders.forEach((show) => show()); schedule(); };
  const stopTheme = watchTheme(root, () => model.get("theme"), () => { anew = true; schedule(); });
  const unkeep = keepKeys(root, "jkglu"); // the strip's own
  const size = new ResizeObserver(() => schedule());
  size.observe(root);
  const names = ["payload", "words", "cell", "value", "prevalence", "alpha", "delta", "promise", "theme"];
  for (const name of names) model.on(`change:${name}`, again);
  again();
  return () => { stopTheme(); unkeep(); size.disconnect(); for (const name of names) model.off(`change:${name}`, again); };
}

export default { render };
