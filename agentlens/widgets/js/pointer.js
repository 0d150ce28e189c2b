import { centre, extent } from "./data.js";
import { hitPosition } from "./tip.js";

// Hover, click and keys on the plot itself: which round is meant, and how much of the run is seen.

export function watchPointer(dom, state, { tip, select, schedule, zoomTo }) {
  let pressed = null;
  const at = (event) => {
    const box = dom.plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const box = zoomBox(dom, state, zoomTo);
  const hover = (position) => {
    if (position === state.hovered) return;
    state.hovered = position;
    schedule();
  };
  const move = (event) => {
    if (event.buttons) box.to(at(event)[0]);
    if (!state.axes || event.buttons || event.pointerType === "touch") { tip.hide(); return; }
    const [x, y] = at(event);
    const position = event.target.closest(".al-pill") ? -1 : hitPosition(state, x, y);
    hover(position);
    if (position >= 0) tip.show(state, position, x, y);
    else tip.hide();
  };
  const leave = () => { tip.hide(); hover(-1); };
  const down = (event) => {
    pressed = [event.clientX, event.clientY];
    box.start(event, at(event)[0]);
  };
  const click = (event) => {
    const [x, y] = at(event);
    select(hitPosition(state, x, y));
  };
  const up = (event) => {
    if (!pressed) return;
    const still = Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4;
    pressed = null;
    box.end(still ? null : at(event)[0]);
    if (still && !event.target.closest?.(".al-reset")) click(event);
  };
  const picked = (event) => click(event.detail);
  const key = (event) => {
    if (event.target !== dom.plot) return;
    const last = state.view.n - 1;
    const moves = {
      ArrowRight: Math.min(last, state.selected + 1), ArrowLeft: Math.max(0, state.selected - 1), Home: 0, End: last, Escape: -1,
    };
    if (event.key in moves && last >= 0) {
      select(moves[event.key]);
      keepInSight(state, zoomTo);
    } else if (event.key === "+" || event.key === "=") zoomBy(state, 0.5, zoomTo);
    else if (event.key === "-") zoomBy(state, 2, zoomTo);
    else if (event.key === "0") zoomTo(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pairs = [
    [dom.plot, "pointermove", move], [dom.plot, "pointerleave", leave], [dom.plot, "pointerdown", down],
    [window, "pointerup", up], [dom.plot, "al-click", picked], [dom.plot, "keydown", key],
    [dom.plot, "dblclick", () => { if (!state.plotted) zoomTo(null); }],
  ];
  for (const [target, name, act] of pairs) target.addEventListener(name, act);
  return () => { for (const [target, name, act] of pairs) target.removeEventListener(name, act); };
}

// Where plotly is not there, a part of the run is marked with the mouse to be seen larger.
function zoomBox(dom, state, zoomTo) {
  let from = null;
  const { marked } = dom;
  return {
    start(event, x) {
      const own = !state.plotted && !event.button && event.pointerType !== "touch" && state.axes;
      from = own && !event.target.closest(".al-handle, .al-reset") ? x : null;
    },
    to(x) {
      if (from === null) return;
      const { x: { offset, length } } = state.axes;
      const [left, right] = [Math.min(from, x), Math.max(from, x)].map((v) => Math.min(offset + length, Math.max(offset, v)));
      marked.hidden = false;
      marked.style.left = `${left}px`;
      marked.style.width = `${right - left}px`;
    },
    end(x) {
      marked.hidden = true;
      if (from !== null && x !== null && Math.abs(x - from) > 8) {
        zoomTo([from, x].map((v) => state.axes.x.value(v)).sort((a, b) => a - b));
      }
      from = null;
    },
  };
}

function zoomBy(state, factor, zoomTo) {
  const { axes, view, time, selected } = state;
  const middle = selected >= 0 ? centre(view, selected, time) : (axes.x.low + axes.x.high) / 2;
  const half = ((axes.x.high - axes.x.low) * factor) / 2;
  const [low, high] = extent(view, time);
  zoomTo([Math.max(low, middle - half), Math.min(high, middle + half)]);
}

function keepInSight(state, zoomTo) {
  if (!state.zoom || state.selected < 0) return;
  const x = centre(state.view, state.selected, state.time), [low, high] = state.zoom;
  if (x >= low && x <= high) return;
  const half = (high - low) / 2;
  zoomTo([x - half, x + half]);
}
