// A report: the stage in a page of its own, the rounds as a table, and a search over them.
// Everything is in the page already; what comes from a trace is text, escaped before it got here.

const MORE = 200;

// What the stage needs of a widget's model, without a kernel behind it.
class PageModel {
  constructor(state) { this.state = state; this.heard = new Map(); this.told = () => {}; }
  get(name) { return this.state[name]; }
  set(name, value) { this.state[name] = value; }
  save_changes() { this.told(); }
  on(event, f) { this.heard.set(event, [...(this.heard.get(event) || []), f]); }
  off(event, f) { this.heard.set(event, (this.heard.get(event) || []).filter((g) => g !== f)); }
  put(name, value) {
    this.state[name] = value;
    for (const f of this.heard.get(`change:${name}`) || []) f();
  }
}

const report = JSON.parse(document.getElementById("report").textContent);
const byId = (id) => document.getElementById(id);
let thread = 0, shown = MORE, selected = -1;

const first = report.threads[0];
const model = new PageModel({
  payload: first.payload, similarity: first.payload.similarity, threshold: first.payload.threshold,
  selected: -1, trip: -1, confirmed: {}, x: "round", lang: report.lang, theme: "auto",
});

const plain = document.createElement("template");
function textOf(round) {
  if (round.plain === undefined) {
    plain.innerHTML = round.html; // a template's content is inert
    round.plain = plain.content.textContent.toLowerCase();
  }
  return round.plain;
}

function matching() {
  const wanted = byId("search").value.trim().toLowerCase();
  const { rounds } = report.threads[thread];
  return rounds.map((round, at) => [round, at]).filter(([round]) => !wanted || textOf(round).includes(wanted));
}

function fill() {
  const found = matching();
  byId("found").textContent = report.words.found.replace("{}", found.length).replace("{}", report.threads[thread].rounds.length);
  byId("rows").replaceChildren(...found.slice(0, shown).map(([round, at]) => {
    const row = document.createElement("tr");
    row.dataset.at = at;
    row.className = [round.ghost ? "ghost" : "", at === selected ? "chosen" : ""].join(" ").trim();
    round.cells.forEach((text, k) => {
      const cell = document.createElement("td");
      if (k) cell.textContent = text;
      else {
        const open = document.createElement("button");
        open.type = "button";
        open.textContent = text;
        open.setAttribute("aria-pressed", String(at === selected));
        cell.append(open);
      }
      row.append(cell);
    });
    return row;
  }));
  byId("more").hidden = found.length <= shown;
}

function choose(at, tell = true) {
  selected = at;
  const round = report.threads[thread].rounds[at];
  byId("detail").innerHTML = round ? round.html : report.choose;
  for (const row of byId("rows").children) {
    const own = Number(row.dataset.at) === at;
    row.classList.toggle("chosen", own);
    row.querySelector("button").setAttribute("aria-pressed", String(own));
  }
  if (tell) model.put("selected", at);
}

model.told = () => { if (model.get("selected") !== selected) choose(model.get("selected"), false); };
STAGE.render({ model, el: byId("stage") });
byId("search").addEventListener("input", () => { shown = MORE; fill(); });
byId("more").addEventListener("click", () => { shown += MORE; fill(); });
byId("rows").addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row) choose(Number(row.dataset.at));
});
byId("thread").addEventListener("change", (event) => {
  thread = Number(event.target.value);
  const payload = { ...report.threads[thread].payload, words: first.payload.words };
  model.state.similarity = payload.similarity;
  model.state.threshold = payload.threshold;
  model.state.selected = -1;
  model.put("payload", payload);
  shown = MORE;
  choose(-1, false);
  fill();
});
choose(-1, false);
fill();
