import { centre, nearestPosition } from "./data.js";
import { scoreValue } from "./marks.js";
import { stateAt } from "./bands.js";
import { joinParts, say, shorten } from "./words.js";
import { matchWords, scoreWords } from "./verdict.js";
import { element } from "./dom.js";

// What lies under the pointer, and what is said about it. Text of a trace is only ever textContent.

export function hitPosition(scene, x, y) {
  const { view, axes, time, layout, index } = scene;
  const right = axes.x.offset + axes.x.length;
  if (!view.n || x < axes.x.offset - 6 || x > right + 6) return -1;
  if (y < axes.lanes.offset - 10 || y > axes.band.top + axes.band.height) return -1;
  const near = nearestPosition(view, axes.x.value(x), time);
  const inLanes = y < axes.lanes.offset + axes.lanes.length + 6;
  const inContain = !inLanes && y < axes.contain.offset + axes.contain.length + 6;
  if (!inLanes && !inContain) return near;
  let best = near, distance = Infinity;
  const consider = (i, cx, cy) => {
    const d = (cx - x) ** 2 + (cy - y) ** 2;
    if (d < distance) { distance = d; best = i; }
  };
  for (const step of [1, -1]) {
    for (let i = step > 0 ? near : near - 1; i >= 0 && i < view.n; i += step) {
      const cx = axes.x.px(centre(view, i, time));
      if (Math.abs(cx - x) > 14) break;
      if (inContain && view.query[i] >= 0) consider(i, cx, axes.contain.px(scoreValue(view, i)));
      if (inLanes) for (let c = index.firstOf[i]; c < index.firstOf[i + 1]; c++) consider(i, cx, axes.lanes.px(layout.y[c]));
    }
  }
  return best;
}

// Lines of text about a round: [text, class].
export function roundWords(scene, i) {
  const { view, words, index, result, spans, time } = scene;
  const head = [say(words, "tip_round", { round: view.number[i] }), words[`kind_${view.kinds[view.kind[i]]}`] || ""];
  if (view.requests > 1) head.push(say(words, "tip_request", { request: view.request[i] }));
  const lines = [[head.filter(Boolean).join(" · "), "al-tip-head"]];
  const q = view.query[i];
  if (q >= 0) {
    lines.push([shorten(view.texts[view.queries.text[q]], 120) || words.tip_empty_query, "al-tip-query"]);
    const match = matchWords(view, q);
    if (match && view.num[i] > 0) {
      lines.push([say(words, match.round === null ? "tip_match_foreign" : "tip_match", {
        round: match.round, match: shorten(match.text, 90), score: scoreWords(view, words, view.num[i], view.den[i]),
      }), ""]);
    } else lines.push([words.tip_first, ""]);
  } else {
    const tools = [];
    for (let c = index.firstOf[i]; c < index.firstOf[i + 1] && tools.length < 5; c++) {
      const tool = view.tools[view.calls.tool[c]];
      if (!tools.includes(tool)) tools.push(tool);
    }
    if (tools.length) lines.push([joinParts(words, tools.map((t) => shorten(t, 40))), ""]);
  }
  const news = joinParts(words, [
    view.urls[i] ? say(words, "new_urls", { n: view.urls[i] }) : "", view.lines[i] ? say(words, "new_lines", { n: view.lines[i] }) : "",
  ]);
  if (view.acts[i]) lines.push([news || words.tip_nothing_new, ""]);
  const own = result.tripOf[view.sequence[i]] === i ? (result.ruleOf.get(i)?.path || view.path)[0] : null;
  const state = words[`state_${own || stateAt(spans, centre(view, i, time))}`];
  const count = result.counts[i];
  lines.push([count < 0 ? words.tip_ghost : say(words, "tip_count", { count, state }), "al-tip-muted"]);
  return lines;
}

export function makeTip(host) {
  const box = element("div", { className: "al-tip", hidden: true });
  host.append(box);
  let shown = "";
  return {
    show(scene, i, x, y) {
      const lines = roundWords(scene, i);
      const key = JSON.stringify(lines);
      if (key !== shown) {
        shown = key;
        box.replaceChildren(...lines.map(([text, kind]) => element("div", { className: kind, textContent: text })));
      }
      box.hidden = false;
      const { offsetWidth: w, offsetHeight: h } = box;
      const { narrow, width, height } = scene.plan; // narrow: below the finger's width, never over it
      const left = narrow ? Math.min(x - w / 2, width - w) : x + 14 + w > width ? x - 14 - w : x + 14;
      const top = narrow ? y + 20 : Math.min(y - h / 2, height - h);
      box.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
    },
    hide() { box.hidden = true; },
  };
}
