import { levelSimilarity } from "./exact.js";
import { justAbove } from "./count.js";

// The columns of the trip map: one a plateau of similarity.

export function mapColumns(view, records, most) {
  const ranks = new Set();
  for (let k = 1; k <= most; k++) for (const [rank] of records[k]) ranks.add(rank);
  const columns = [...ranks].sort((a, b) => a - b).map((rank) => ({ cut: rank, rank }));
  const last = columns.length ? columns[columns.length - 1].rank : 0;
  const above = justAbove(view, last);
  if (above && (!columns.length || last <= view.levels.length)) columns.push({ cut: last + 1, rank: 0, above });
  for (const column of columns) {
    column.similarity = column.rank ? plateauTop(view, column.rank) : column.above;
  }
  return columns;
}

// The similarity that a click on a plateau sets: its upper end (just below it where strict).
function plateauTop(view, rank) {
  return view.strict ? justAbove(view, rank - 1) || levelSimilarity(view.levels[rank - 1], view.measure)
    : levelSimilarity(view.levels[rank - 1], view.measure);
}

// The column that holds the current similarity.
export function currentColumn({ mapColumns: columns, cut }) {
  return columns.findIndex((c, i) => cut <= c.cut || i === columns.length - 1);
}
