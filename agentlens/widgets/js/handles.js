import { formatSimilarity, hundredths, snapSimilarity } from "./exact.js";
import { nextPlateau } from "./count.js";

// Two grips on the plot: each moves along one axis only, by mouse, finger or keyboard.

function grip(kind, label) {
  const element = document.createElement("div");
  element.className = `al-handle al-handle-${kind}`;
  element.tabIndex = 0;
  element.setAttribute("role", "slider");
  element.setAttribute("aria-orientation", "vertical");
  element.setAttribute("aria-label", label);
  const reach = document.createElement("span");
  reach.className = "al-reach";
  const pill = document.createElement("span");
  pill.className = "al-pill";
  element.append(reach, pill);
  return { element, reach, pill };
}

// host: the plot; read(): the current scene; set(change, done): what a move does.
export function makeHandles(host, read, set) {
  const similarity = grip("similarity", "similarity");
  const threshold = grip("threshold", "threshold");
  host.append(similarity.element, threshold.element);
  const undo = [
    dragging(host, similarity.element, (y) => {
      const { axes, view } = read();
      const value = Math.min(1, Math.max(0.01, axes.contain.value(y)));
      return { similarity: snapSimilarity(value, view.levels, view.measure) };
    }, () => read().axes.contain.px(read().similarity[0] / read().similarity[1]), set),
    dragging(host, threshold.element, (y) => {
      const { axes, countTop } = read();
      return { threshold: Math.min(countTop, Math.max(1, Math.round(axes.count.value(y)))) };
    }, () => read().axes.count.px(read().threshold), set),
  ];
  similarity.element.addEventListener("keydown", (event) => {
    const found = similarityKey(event, read());
    if (found === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (found) set({ similarity: found }, true);
  });
  threshold.element.addEventListener("keydown", (event) => {
    const found = thresholdKey(event, read());
    if (found === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set({ threshold: found }, true);
  });
  return { similarity, threshold, close: () => undo.forEach((f) => f()) };
}

// Undefined for a key that is not ours, null where there is nowhere to go.
export function similarityKey(event, { view, similarity, movers }) {
  const now = Math.round((similarity[0] / similarity[1]) * 100);
  const up = event.key === "ArrowUp" || event.key === "ArrowRight" || event.key === "PageUp";
  switch (event.key) {
    case "ArrowUp": case "ArrowRight": case "ArrowDown": case "ArrowLeft":
      if (event.shiftKey) {
        const exact = similarity[0] * 100 === now * similarity[1];
        const above = now / 100 > similarity[0] / similarity[1];
        return hundredths(up ? (exact || !above ? now + 1 : now) : (exact || above ? now - 1 : now));
      }
      return nextPlateau(view, similarity, up);
    case "PageUp": case "PageDown":
      return nextPlateau(view, similarity, up, [...movers].sort((a, b) => a - b)) || hundredths(now + (up ? 10 : -10));
    case "Home": return hundredths(1);
    case "End": return hundredths(100);
    default: return undefined;
  }
}

export function thresholdKey(event, { threshold, mostThreshold }) {
  const bound = (v) => Math.min(Math.max(mostThreshold, threshold), Math.max(1, v));
  switch (event.key) {
    case "ArrowUp": case "ArrowRight": return bound(threshold + 1);
    case "ArrowDown": case "ArrowLeft": return bound(threshold - 1);
    case "PageUp": return bound(threshold + 5);
    case "PageDown": return bound(threshold - 5);
    case "Home": return 1;
    case "End": return mostThreshold;
    default: return undefined;
  }
}

function dragging(host, element, change, home, set) {
  let grab = null;
  const down = (event) => {
    if (event.button) return;
    const y = event.clientY - host.getBoundingClientRect().top;
    grab = { id: event.pointerId, shift: y - home(), moved: false, y };
    element.setPointerCapture(event.pointerId);
    element.classList.add("al-held");
    element.focus({ preventScroll: true });
    event.preventDefault();
    event.stopPropagation();
  };
  const move = (event) => {
    if (!grab || event.pointerId !== grab.id) return;
    const y = event.clientY - host.getBoundingClientRect().top;
    if (y === grab.at || (!grab.moved && Math.abs(y - grab.y) < 2)) return;
    grab.moved = true;
    grab.at = y;
    set(change(y - grab.shift), false, event.type === "pointerrawupdate");
  };
  const up = (event) => {
    if (!grab || event.pointerId !== grab.id) return;
    const { moved } = grab;
    grab = null;
    element.classList.remove("al-held");
    if (moved) set({}, true);
    else if (event.type === "pointerup") {
      host.dispatchEvent(new CustomEvent("al-click", { detail: { clientX: event.clientX, clientY: event.clientY } }));
    }
  };
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerrawupdate", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerrawupdate", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", up);
  };
}

export function placeHandles(handles, scene) {
  const { axes, plan, similarity, threshold, words, mostThreshold, outcome } = scene;
  const x = axes.x.offset + axes.x.length;
  const place = ({ element, reach, pill }, y, text) => {
    element.style.transform = `translate(${x}px, ${y}px)`;
    reach.style.left = `${-axes.x.length}px`;
    reach.style.width = `${axes.x.length}px`;
    if (pill.textContent !== text) pill.textContent = text;
  };
  const shown = formatSimilarity(similarity);
  place(handles.similarity, axes.contain.px(similarity[0] / similarity[1]), shown);
  place(handles.threshold, axes.count.px(Math.min(threshold, scene.countTop)), String(threshold));
  describe(handles.similarity.element, words.handle_similarity, similarity[0] / similarity[1], 0.01, 1,
    `${shown}${100 % similarity[1] ? ` (${similarity[0]}/${similarity[1]})` : ""}; ${outcome}`);
  describe(handles.threshold.element, words.handle_threshold, threshold, 1, Math.max(mostThreshold, threshold),
    `${threshold}; ${outcome}`);
  for (const { element } of [handles.similarity, handles.threshold]) element.hidden = !scene.view.asked || plan.inner < 40;
}

function describe(element, label, now, least, most, text) {
  const values = { "aria-label": label, "aria-valuenow": now, "aria-valuemin": least, "aria-valuemax": most, "aria-valuetext": text };
  for (const [name, value] of Object.entries(values)) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
}
