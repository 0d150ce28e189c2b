// The calls of two runs side by side: a table to search and to narrow down to what differs.
// Everything is in the page already; what comes from a trace is set as text.

const MORE = 300;
const data = JSON.parse(document.getElementById("compared").textContent);
const byId = (id) => document.getElementById(id);
let shown = MORE;

const rows = data.rows.map((row) => {
  const cells = row.slice(0, -2);
  return { cells, kind: row.at(-2), apart: row.at(-1), plain: cells.join("\n").toLowerCase() };
});

function fill() {
  const wanted = byId("search").value.trim().toLowerCase();
  const only = byId("only").checked;
  const found = rows.filter((row) => (!only || row.apart) && (!wanted || row.plain.includes(wanted)));
  byId("found").textContent = data.found.replace("{}", found.length).replace("{}", rows.length);
  byId("steps").replaceChildren(...found.slice(0, shown).map((row) => {
    const made = document.createElement("tr");
    made.className = `in-${row.kind}`;
    made.setAttribute("role", "row");
    row.cells.forEach((text, k) => {
      const cell = document.createElement("td");
      cell.setAttribute("role", "cell");
      cell.dataset.head = data.head[k]; // said beside it where the window is too narrow for columns
      cell.textContent = text;
      made.append(cell);
    });
    return made;
  }));
  byId("more").hidden = found.length <= shown;
}

for (const [id, event] of [["search", "input"], ["only", "change"]]) {
  byId(id).addEventListener(event, () => { shown = MORE; fill(); });
}
byId("more").addEventListener("click", () => { shown += MORE; fill(); });
fill();
