// The stage's elements, in reading order. Everything that a trace says goes in as text.

function make(tag, name, parent) {
  const element = document.createElement(tag);
  element.className = name;
  if (parent) parent.append(element);
  return element;
}

export function buildFrame(el) {
  const root = make("div", "al-theme al-stage");
  const head = make("div", "al-head", root);
  const verdict = make("div", "al-verdict", head);
  const reason = make("div", "al-reason", head);
  const other = make("div", "al-reason al-other", head);
  const gone = make("div", "al-gone", head); // the style sheet shows it
  const body = make("div", "al-body", root);
  const plot = make("div", "al-plot", body);
  plot.tabIndex = 0;
  plot.setAttribute("role", "group");
  const still = make("canvas", "al-layer", plot);
  const plotly = make("div", "al-layer al-plotly", plot);
  const over = make("canvas", "al-layer al-over", plot);
  for (const canvas of [still, over]) canvas.setAttribute("aria-hidden", "true");
  const marked = make("div", "al-marked", plot);
  marked.hidden = true;
  const reset = make("button", "al-reset", plot);
  reset.type = "button";
  reset.hidden = true;
  const map = make("div", "al-map", body);
  const live = make("div", "al-live", root);
  live.setAttribute("role", "status");
  live.setAttribute("aria-live", "polite");
  el.replaceChildren(root);
  return { root, head, slot: null, verdict, reason, other, gone, body, plot, still, plotly, over, marked, reset, map, live };
}

// A Lens keeps a place for the verdict above its controls: the sentence comes first.
export function placeHead(dom) {
  const lens = dom.slot ? null : dom.root.closest(".agentlens-lens");
  const place = lens && lens.querySelector(".agentlens-verdict");
  if (!place) return;
  dom.slot = make("div", "al-theme al-slot");
  dom.slot.append(dom.head);
  place.replaceChildren(dom.slot);
}

export function showVerdict(dom, said, words, stale) {
  const put = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
    element.hidden = !text;
  };
  put(dom.verdict, said.verdict || "");
  put(dom.reason, said.reason || "");
  put(dom.other, said.other || "");
  put(dom.gone, words.kernel_gone || "");
  dom.root.dataset.kind = said.kind;
  if (dom.slot) dom.slot.dataset.theme = dom.root.dataset.theme;
  for (const part of [dom.root, dom.slot]) if (part) part.classList.toggle("al-stale", !!stale);
}
