import { element } from "./dom.js";
import { dragged, fragment } from "./fragment.js";
import { makeAhead } from "./frames.js";
import { watchTheme } from "./theme.js";
import { keepKeys } from "./keys.js";

// The lesson: controls of the page, a picture from Python. What a slider shows was sent ahead; for
// the rest one request is under way at a time, and what is moved meanwhile is sent once, after it.

const PATIENCE = 1000; // ms after which an answer is no longer waited for
const REST = 150; // ms after a move that needed no answer, until Python is told

function makeLesson(model, el) {
  const root = element("div", { className: "al-theme al-lesson" });
  const nav = element("div", { className: "al-nav", role: "group" });
  const bar = element("div", { className: "al-controls" });
  const frame = element("div", { className: "al-frame" });
  const note = element("div", { className: "al-note", role: "status" });
  root.append(nav, bar, frame, note);
  el.append(root);

  let values = {};
  let waiting = 0; // when the request under way was sent, 0 for none
  let pending = false;
  let seq = 0;
  let playing = 0;
  let drawn = 0;
  let resting = 0;
  const ahead = makeAhead(model);
  const outputs = new Map();
  const inputs = new Map();

  function send() {
    if (waiting && performance.now() - waiting < PATIENCE) { pending = true; return; }
    waiting = performance.now();
    pending = false;
    seq += 1;
    model.set("asked", { seq, scene: model.get("current"), values });
    model.save_changes();
  }

  function move(name, value) {
    if (values[name] === value) return;
    values = { ...values, [name]: value };
    moved();
  }

  function moved() {
    clearTimeout(resting);
    const known = ahead.get(model.get("current"), values);
    if (!known) { send(); return; }
    seq += 1; // an answer still under way is about an earlier place
    show({ ...known, note: "" });
    resting = setTimeout(send, REST);
  }

  function reached(name) {
    if (!inputs.get(name) || inputs.get(name).type !== "range") return;
    ahead.ask(model.get("current"), name, values);
  }

  function drawFrame() {
    const told = model.get("frame");
    ahead.renew(told.epoch);
    waiting = 0;
    root.dataset.seq = String(told.seq || 0);
    if (pending) send();
    else if (!told.seq || told.seq === seq) show(told); // an older answer would jump back
  }

  // One control may set another; the one that a person is in is left alone.
  function settle(told) {
    for (const [name, input] of inputs) {
      if (told[name] === undefined || told[name] === values[name] || input === document.activeElement) continue;
      values[name] = told[name];
      if (input.type === "checkbox") input.checked = told[name];
      else input.value = told[name];
    }
  }

  function show(told) {
    settle(told.values || {});
    frame.replaceChildren(...fragment(told.html));
    note.replaceChildren(...fragment(told.note));
    for (const [name, output] of outputs) {
      output.textContent = (told.shown || {})[name] ?? String(values[name] ?? "");
    }
    drawn += 1;
    root.dataset.drawn = String(drawn);
  }

  function act(control) {
    if (control.kind === "play") { play(); return; }
    note.textContent = "…";
    model.send({ type: "act", name: control.name, scene: model.get("current"), values });
  }

  function play() {
    clearTimeout(playing);
    frame.classList.remove("al-playing");
    void frame.offsetWidth; // start anew
    frame.classList.add("al-playing");
    playing = setTimeout(() => frame.classList.remove("al-playing"), 37000);
  }

  function make(control) {
    const { name, kind } = control;
    if (kind === "act" || kind === "play") {
      const button = element("button", { type: "button", textContent: control.label });
      button.addEventListener("click", () => act(control));
      return button;
    }
    let input;
    if (kind === "choice") {
      input = element("select", {}, control.options.map(([value, label]) =>
        element("option", { value, textContent: label })));
      input.value = values[name];
      input.addEventListener("change", () => move(name, input.value));
    } else if (kind === "flag") {
      input = element("input", { type: "checkbox", checked: Boolean(values[name]) });
      input.addEventListener("change", () => move(name, input.checked));
    } else if (kind === "text") {
      input = element("input", { type: "text", value: values[name] ?? "", spellcheck: false });
      input.addEventListener("input", () => move(name, input.value));
    } else {
      input = element("input", { type: "range", min: control.low, max: control.high, step: control.step });
      input.value = values[name];
      input.addEventListener("input", () => move(name, Number(input.value)));
    }
    input.addEventListener("keydown", (event) => event.stopPropagation()); // the notebook's shortcuts
    input.dataset.name = name;
    inputs.set(name, input);
    const label = element("label", { className: `al-control al-${kind}` }, [
      element("span", { textContent: control.label }), input]);
    for (const type of ["pointerenter", "focusin"]) label.addEventListener(type, () => reached(name));
    if (control.role) label.dataset.role = control.role;
    if (kind === "range") {
      const output = element("output");
      outputs.set(name, output);
      label.append(output);
    }
    return label;
  }

  function drawControls() {
    const held = document.activeElement && root.contains(document.activeElement) && document.activeElement.dataset.name;
    values = { ...model.get("frame").values };
    outputs.clear();
    inputs.clear();
    bar.replaceChildren(...model.get("controls").map(make));
    bar.hidden = !bar.children.length;
    if (held && inputs.has(held)) inputs.get(held).focus();
  }

  function drawNav() {
    const titles = model.get("titles");
    const current = model.get("current");
    const steps = titles.map(([name, title], number) => {
      const button = element("button", { type: "button", textContent: String(number), title });
      button.setAttribute("aria-label", title);
      if (name === current) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(name));
      return button;
    });
    const place = titles.findIndex(([name]) => name === current);
    const words = model.get("words");
    const next = element("button", { type: "button", textContent: `${words.lesson_next} →`, className: "al-next" });
    next.disabled = place < 0 || place + 1 >= titles.length;
    next.addEventListener("click", () => go(titles[place + 1][0]));
    const tongue = element("button", { type: "button", className: "al-tongue",
      textContent: model.get("lang") === "en" ? "中文" : "EN" });
    tongue.addEventListener("click", () => {
      model.set("lang", model.get("lang") === "en" ? "zh" : "en");
      model.save_changes();
    });
    nav.classList.toggle("al-single", titles.length < 2);
    nav.replaceChildren(...(titles.length > 1 ? [...steps, next] : []), element("span"), tongue);
  }

  function go(name) {
    model.set("current", name);
    model.save_changes();
  }

  function onDrag(event) {
    const svg = frame.querySelector("svg[data-drag]");
    if (!svg || (event.type === "pointerdown" && !svg.contains(event.target))) return;
    if (event.type === "pointermove" && !frame.hasPointerCapture(event.pointerId)) return;
    const drag = JSON.parse(svg.dataset.drag);
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const at = { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
    if (event.type === "pointerdown") {
      if (at.x > drag.x[2] + 30) return;
      frame.setPointerCapture(event.pointerId);
    }
    event.preventDefault();
    const next = { ...values };
    for (const axis of Object.keys(drag)) {
      const name = drag[axis][0];
      const input = inputs.get(name);
      next[name] = dragged(at[axis], drag[axis], Number(input.step));
      input.value = next[name];
    }
    if (Object.keys(next).every((name) => next[name] === values[name])) return;
    values = next;
    reached(drag.x[0]);
    moved();
  }

  for (const type of ["pointerdown", "pointermove"]) frame.addEventListener(type, onDrag);
  const told = [
    ["change:frame", drawFrame],
    ["change:controls", () => { drawControls(); drawFrame(); }],
    ...["change:titles", "change:current", "change:lang"].map((name) => [name, drawNav]), // one by one: marimo
    ["change:theme", () => stop.apply()],
  ];
  const stop = watchTheme(root, () => model.get("theme"), () => {}), unkeep = keepKeys(root);
  for (const [name, heard] of told) model.on(name, heard);
  drawNav();
  drawControls();
  drawFrame();
  return () => {
    stop();
    unkeep();
    clearTimeout(playing);
    clearTimeout(resting);
    ahead.stop();
    for (const [name, heard] of told) model.off(name, heard);
  };
}

export default { render: ({ model, el }) => makeLesson(model, el) };
