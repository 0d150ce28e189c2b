import { extent, viewOf } from "./data.js";
import { countRounds, cutOf, longestRun, tripSurface } from "./count.js";
import { callIndex, layLanes } from "./lanes.js";
import { stateSpans } from "./bands.js";
import { arcs, shownArcs } from "./marks.js";
import { counterfactualSpans } from "./draw.js";
import { mapColumns } from "./map_columns.js";

// What the stage knows, in three layers of cost: once a payload, once a lane cut, once a move.

const MOST_ROWS = 10;

export function loadPayload(payload) {
  const view = viewOf(payload || {});
  return { view, index: callIndex(view), longest: longestRun(view), records: null, surfaceTo: 0 };
}

// Lanes and arcs at a similarity; done when a handle is let go, not while it moves.
export function recut(state) {
  const { view, index, similarity, time } = state;
  state.layout = layLanes(view, similarity);
  state.arcList = shownArcs(view, arcs(view, state.layout, index, time), cutOf(view, similarity));
  state.countTop = Math.max(5, state.threshold + (state.threshold > 4 ? 2 : 1));
  state.mapRows = Math.min(MOST_ROWS, Math.max(6, state.threshold));
  state.mapColumns = mapColumns(view, surface(state), state.mapRows);
}

function surface(state) {
  const most = Math.max(MOST_ROWS, state.threshold);
  if (state.surfaceTo < most) {
    state.records = tripSurface(state.view, most);
    state.surfaceTo = most;
  }
  return state.records;
}

export function recount(state) {
  const { view, similarity, threshold, time } = state;
  const cut = cutOf(view, similarity);
  state.cut = cut;
  state.result = overruled(countRounds(view, cut, threshold), state);
  state.spans = stateSpans(view, state.result, time);
  state.ghosts = counterfactualSpans(view, state.result, time);
  state.movers = new Set(surface(state)[threshold].map(([rank]) => rank));
  state.mostThreshold = Math.max(6, state.longest + 1);
}

// Whether Python has replayed the setting that is shown, and found another trip.
export function isOverruled({ confirmed: said, similarity, threshold, result }) {
  const same = said && said.threshold === threshold && said.similarity
    && said.similarity[0] * similarity[1] === said.similarity[1] * similarity[0];
  return !!same && (said.trip ?? -1) !== result.trip;
}

// Where Python disagrees, it is right, and the console says so.
function overruled(result, state) {
  if (!isOverruled({ ...state, result })) return result;
  const trip = state.confirmed.trip ?? -1;
  console.warn(`agentlens: the browser counts a trip at position ${result.trip}, Python at ${trip}`);
  const { view } = state;
  const tripOf = new Int32Array(view.sequences).fill(-1);
  const counts = result.counts.map((c) => Math.max(0, c));
  if (trip >= 0 && trip < view.n) {
    tripOf[view.sequence[trip]] = trip;
    for (let i = trip + 1; i < view.n; i++) if (view.sequence[i] === view.sequence[trip]) counts[i] = -1;
  }
  return { ...result, counts, tripOf, trip, ruleOf: new Map(), trips: trip >= 0 && trip < view.n ? [trip] : [] };
}

export function fullRanges(state) {
  const { view, time, layout, countTop } = state;
  const lanes = Math.max(1, layout.lanes.length);
  return { x: state.zoom || extent(view, time), lanes: [lanes - 0.4, -0.6], count: [-0.3, countTop + 0.3] };
}

// Where the browser cannot recount, the picture is that of the setting that Python last sent.
export function isStale({ similarity: [p, q], computedAt: at, view }) {
  return !view.recount && !!at && at[0] * q !== at[1] * p;
}
