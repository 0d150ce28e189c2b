import { OUTCOMES, outcomeOf, stateOf } from "./picker_data.js";
import { fade } from "./colours.js";
import { ellipsis, fitCanvas, hatch } from "./canvas.js";
import { element } from "./dom.js";
import { say } from "./words.js";

// One row a run, worst first: its rounds as a bar, where it would have been stopped, what that
// means. Colour never stands alone: the glyph before the name says the same. A click opens the run.

const ROW = 18, GLYPH = 22, BAR = 260;

export function makePickerStrip(host, scene, { open, label }) {
  const title = element("div", { className: "al-picker-head" }), canvas = element("canvas", { tabIndex: 0 });
  const inner = element("div", { className: "al-picker-inner" }, [canvas]);
  const box = element("div", { className: "al-picker-rows" }, [inner]), help = element("div", { className: "al-picker-note" });
  canvas.setAttribute("role", "listbox");
  host.append(title, box, help);
  let order = [], chosen = 0, colours = null;

  box.addEventListener("scroll", () => requestAnimationFrame(rows));
  canvas.addEventListener("click", (event) => {
    chosen = Math.min(order.length - 1, Math.floor((event.offsetY + box.scrollTop) / ROW));
    rows();
    if (order[chosen]) open(order[chosen].index);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = order[Math.floor((event.offsetY + box.scrollTop) / ROW)];
    canvas.title = at ? said(scene.words, at) : "";
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const mark = { g: "good", l: "loop", u: "unknown" }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) chosen = Math.min(Math.max(chosen + step, 0), order.length - 1);
    else if (mark && order[chosen]) label(order[chosen].index, mark);
    else if (event.key === "Enter" && order[chosen]) open(order[chosen].index);
    else return;
    event.preventDefault();
    event.stopPropagation(); // j and k are the notebook's own keys too
    if ((chosen + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (chosen + 1) * ROW - box.clientHeight;
    if (chosen * ROW < box.scrollTop) box.scrollTop = chosen * ROW;
    rows();
  });

  function rows() {
    if (!colours) return;
    const { words, data } = scene, width = Math.max(300, host.clientWidth - 14), bar = Math.min(BAR, width * 0.36);
    const first = Math.floor(box.scrollTop / ROW), count = Math.ceil(box.clientHeight / ROW) + 1;
    const ctx = fitCanvas(canvas, width, Math.max(ROW, box.clientHeight));
    const most = Math.max(1, ...data.runs.map((run) => run.last));
    ctx.textBaseline = "middle";
    ctx.font = `12px ${colours.family}`;
    order.slice(first, first + count).forEach((at, i) => {
      const y = (first + i) * ROW - box.scrollTop, middle = y + ROW / 2, look = OUTCOMES[at.outcome], tone = colours[look.tone];
      if (first + i === chosen) {
        ctx.fillStyle = fade(colours.accent, 0.16);
        ctx.fillRect(0, y, width, ROW);
      }
      ctx.fillStyle = tone;
      ctx.textAlign = "center";
      ctx.fillText(look.glyph, GLYPH / 2, middle);
      const scale = bar / most, cut = at.state[0] ? (at.state[0] - 1) * scale : at.run.last * scale, full = at.run.last * scale;
      ctx.fillRect(GLYPH, y + 6, cut, ROW - 12);
      if (at.state[0]) {
        ctx.fillStyle = fade(tone, 0.25);
        ctx.fillRect(GLYPH + cut, y + 6, full - cut, ROW - 12);
        ctx.fillStyle = colours.ink;
        ctx.fillRect(GLYPH + cut - 1, y + 2, 2, ROW - 4);
      }
      if (at.run.waits) { // left out of the loops: seen to be
        ctx.fillStyle = hatch(ctx, colours.ink, 5);
        ctx.fillRect(GLYPH, y + 3, full, ROW - 6);
        dots(ctx, GLYPH + full + 4, middle, tone);
      }
      ctx.textAlign = "left";
      ctx.fillStyle = colours.ink;
      ctx.fillText(ellipsis(ctx, `${words[at.outcome]}${at.state[0] ? ` · ${at.state[0]}/${at.run.last}` : ""} · ${at.run.task || at.run.name}`, width - bar - GLYPH - 14), GLYPH + bar + 8, middle);
    });
  }

  return function paint(anew) {
    const { data, words, column, threshold } = scene, keep = order[chosen] && order[chosen].index;
    colours = scene.colours;
    order = data.runs.map((run, index) => {
      const state = stateOf(run, column, threshold);
      return { run, index, state, outcome: outcomeOf(run, state) };
    }).sort((a, b) => OUTCOMES[a.outcome].order - OUTCOMES[b.outcome].order || b.state[2] - a.state[2] || b.run.last - a.run.last || a.index - b.index);
    if (anew && keep !== undefined) chosen = Math.max(0, order.findIndex((at) => at.index === keep));
    inner.style.height = `${order.length * ROW}px`;
    const counts = {};
    for (const at of order) counts[at.outcome] = (counts[at.outcome] || 0) + 1;
    title.textContent = say(words, "strip", { n: data.all }) + "   " + Object.keys(OUTCOMES).filter((o) => counts[o]).map((o) => `${OUTCOMES[o].glyph} ${words[o]} ${counts[o]}`).join("   ");
    help.textContent = words.open + (data.runs.length < data.all ? " · " + say(words, "strip_more", { n: data.runs.length, all: data.all }) : "");
    rows();
    const at = order[chosen];
    canvas.setAttribute("aria-label", at ? said(words, at) : title.textContent);
    return order.filter(({ outcome }) => outcome === "false_stop" || outcome === "harmless");
  };
}

export function said(words, { run, state: [round, , saved], outcome }) {
  const values = { what: words[outcome], name: run.name, round, last: run.last, saved };
  return say(words, round ? "row" : "row_none", values);
}

function dots(ctx, x, y, colour) {
  ctx.fillStyle = colour;
  for (const at of [0, 5, 10]) ctx.fillRect(x + at, y - 1, 2, 2);
}
