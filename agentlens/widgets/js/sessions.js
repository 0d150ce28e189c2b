// A table of sessions: click, or arrow keys and Enter, opens one. All text is set as text.
import { element } from "./dom.js";
import { keepKeys } from "./keys.js";

const STEP = 200;

function render({ model, el }) {
  let shown = STEP;
  let wanted = "";
  const filter = element("input", { type: "search", placeholder: model.get("words").filter });
  filter.setAttribute("aria-label", model.get("words").filter);
  const count = element("span", { className: "count" });
  const body = element("tbody");
  const head = element("tr");
  const table = element("table", {}, [element("thead", {}, [head]), body]);
  const more = element("button", { type: "button" });
  const box = element("div", { className: "box" }, [table, more]);
  const root = element("div", { className: "agentlens-sessions" }, [
    element("div", { className: "top" }, [filter, count]), box,
  ]);

  function matching() {
    const rows = model.get("rows").map((cells, index) => ({ cells, index }));
    if (!wanted) return rows;
    return rows.filter(({ cells }) => cells.some((cell) => cell.toLowerCase().includes(wanted)));
  }

  function draw() {
    const names = model.get("head");
    const right = new Set(model.get("right"));
    head.replaceChildren(...names.map((name) => element("th", { textContent: name, scope: "col",
      className: right.has(name) ? "right" : "" })));
    const rows = matching();
    body.replaceChildren(...rows.slice(0, shown).map(({ cells, index }) => {
      const row = element("tr", { tabIndex: -1 }, cells.map((cell, place) => element("td", {
        textContent: cell, className: right.has(names[place]) ? "right" : "" })));
      row.dataset.index = String(index);
      return row;
    }));
    count.textContent = `${rows.length} / ${model.get("rows").length}`;
    more.hidden = rows.length <= shown;
    more.textContent = `… ${rows.length - shown}`;
    mark();
  }

  function mark() {
    const selected = String(model.get("selected"));
    for (const row of body.children) row.setAttribute("aria-selected", row.dataset.index === selected);
    const first = body.querySelector('[aria-selected="true"]') || body.firstElementChild;
    for (const row of body.children) row.tabIndex = row === first ? 0 : -1;
  }

  function open(row) {
    if (!row) return;
    model.set("selected", Number(row.dataset.index));
    model.save_changes();
  }

  function onKey(event) {
    const row = event.target.closest("tr");
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (step && row && row[step]) row[step].focus();
    else if ((event.key === "Enter" || event.key === " ") && row) open(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  body.addEventListener("click", (event) => open(event.target.closest("tr")));
  body.addEventListener("keydown", onKey);
  filter.addEventListener("keydown", (event) => event.stopPropagation());
  filter.addEventListener("input", () => { wanted = filter.value.trim().toLowerCase(); shown = STEP; draw(); });
  more.addEventListener("click", () => { shown += STEP; draw(); });
  const unkeep = keepKeys(root);
  model.on("change:rows", draw);
  model.on("change:selected", mark);
  draw();
  el.append(root);
  return () => { unkeep(); model.off("change:rows", draw); model.off("change:selected", mark); };
}

export default { render };
