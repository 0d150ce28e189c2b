import { element } from "./dom.js";

// The stage's elements, in reading order. Everything that a trace says goes in as text.

export function buildFrame(el) {
  const verdict = element("div", { className: "al-verdict" }), reason = element("div", { className: "al-reason" });
  const other = element("div", { className: "al-reason al-other" });
  const gone = element("div", { className: "al-gone" }); // the style sheet shows it
  const head = element("div", { className: "al-head" }, [verdict, reason, other, gone]);
  const still = element("canvas", { className: "al-layer" });
  const plotly = element("div", { className: "al-layer al-plotly" });
  const over = element("canvas", { className: "al-layer al-over" });
  const marked = element("div", { className: "al-marked", hidden: true });
  const reset = element("button", { className: "al-reset", type: "button", hidden: true });
  const plot = element("div", { className: "al-plot", tabIndex: 0 }, [still, plotly, over, marked, reset]);
  plot.setAttribute("role", "group");
  for (const canvas of [still, over]) canvas.setAttribute("aria-hidden", "true");
  const map = element("div", { className: "al-map" });
  const body = element("div", { className: "al-body" }, [plot, map]);
  const live = element("div", { className: "al-live" });
  live.setAttribute("role", "status");
  live.setAttribute("aria-live", "polite");
  const root = element("div", { className: "al-theme al-stage" }, [head, body, live]);
  el.replaceChildren(root);
  return { root, head, slot: null, verdict, reason, other, gone, body, plot, still, plotly, over, marked, reset, map, live };
}

// A Lens keeps a place for the verdict above its controls: the sentence comes first.
export function placeHead(dom) {
  const lens = dom.slot ? null : dom.root.closest(".agentlens-lens");
  const place = lens && lens.querySelector(".agentlens-verdict");
  if (!place) return;
  dom.slot = element("div", { className: "al-theme al-slot" }, [dom.head]);
  place.replaceChildren(dom.slot);
}

export function showVerdict(dom, said, words, stale) {
  const put = (line, text) => {
    if (line.textContent !== text) line.textContent = text;
    line.hidden = !text;
  };
  put(dom.verdict, said.verdict || "");
  put(dom.reason, said.reason || "");
  put(dom.other, said.other || "");
  put(dom.gone, words.kernel_gone || "");
  dom.root.dataset.kind = said.kind;
  if (dom.slot) dom.slot.dataset.theme = dom.root.dataset.theme;
  for (const part of [dom.root, dom.slot]) if (part) part.classList.toggle("al-stale", !!stale);
}
