import { LETTERS } from "./lanes.js";
import { clusterColour, fade, inkOn } from "./colours.js";
import { levelValue } from "./exact.js";
import { ticks } from "./scale.js";
import { grouped } from "./words.js";
import { ellipsis, textWidth } from "./canvas.js";

// What stands beside the strips: their names, lane labels, ticks, the one x axis, plateau rails.

export function paintGutters(ctx, scene) {
  paintNames(ctx, scene);
  paintLaneLabels(ctx, scene);
  paintTicks(ctx, scene);
  paintAxis(ctx, scene);
  paintRails(ctx, scene);
}

function paintNames(ctx, { plan, words, colours, font }) {
  const rows = [["contain", words.strip_containment], ["count", words.strip_count], ["band", words.strip_state]];
  ctx.fillStyle = colours.muted;
  ctx.textAlign = "left";
  ctx.font = font(12);
  if (plan.narrow) {
    ctx.textBaseline = "alphabetic";
    ctx.fillText(words.strip_calls, 0, plan.lanes.top - 8);
    for (const [key, text] of rows) ctx.fillText(text, 0, plan[key].top - 7);
    return;
  }
  ctx.textBaseline = "middle";
  for (const [key, text] of rows) {
    const lines = wrap(ctx, text, plan.left - 44);
    const middle = plan[key].top + plan[key].height / 2 - ((lines.length - 1) * 15) / 2;
    lines.forEach((line, k) => ctx.fillText(line, 0, middle + k * 15));
  }
}

function wrap(ctx, text, width) {
  if (textWidth(ctx, text) <= width) return [text];
  const words = text.includes(" ") ? text.split(" ") : [text];
  const lines = [];
  for (const word of words) {
    const joined = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(ctx, joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

function paintLaneLabels(ctx, { plan, axes, layout, words, colours, font }) {
  ctx.textBaseline = "middle";
  layout.lanes.forEach((lane, k) => {
    const y = axes.lanes.px(k);
    if (lane.kind === "cluster") {
      const colour = clusterColour(colours, lane.group);
      ctx.fillStyle = colour;
      ctx.fillRect(0, y - 8, 16, 16);
      ctx.fillStyle = inkOn(colour);
      ctx.font = font(11, 700);
      ctx.textAlign = "center";
      ctx.fillText(LETTERS[lane.group], 8, y + 0.5);
      if (plan.narrow) return;
      ctx.fillStyle = colours.ink;
      ctx.font = font(12);
      ctx.textAlign = "left";
      ctx.fillText(ellipsis(ctx, lane.text, plan.left - 34), 22, y + 0.5);
      return;
    }
    const x = 8;
    ctx.beginPath();
    if (lane.kind === "more") ctx.rect(x - 4, y - 4, 8, 8);
    else if (lane.kind === "single") ctx.arc(x, y, 4, 0, 7);
    else { ctx.moveTo(x, y - 4); ctx.lineTo(x + 4, y); ctx.lineTo(x, y + 4); ctx.lineTo(x - 4, y); ctx.closePath(); }
    ctx.strokeStyle = colours.muted;
    ctx.fillStyle = colours.muted;
    ctx.lineWidth = 1.25;
    if (lane.kind === "single") ctx.stroke();
    else ctx.fill();
    if (plan.narrow) return;
    ctx.font = font(12);
    ctx.textAlign = "left";
    ctx.fillText(ellipsis(ctx, words[`lane_${lane.kind}`], plan.left - 34), 22, y + 0.5);
  });
}

function paintTicks(ctx, { plan, axes, colours, font, countTop }) {
  ctx.font = font(11);
  ctx.fillStyle = colours.muted;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const x = plan.left - 8;
  for (const v of [0, 0.5, 1]) ctx.fillText(String(v), x, axes.contain.px(v));
  const step = Math.max(1, Math.ceil(countTop / 3));
  for (let v = 0; v <= countTop; v += step) ctx.fillText(grouped(v), x, axes.count.px(v));
}

function paintAxis(ctx, { plan, view, axes, time, colours, font, words }) {
  ctx.font = font(12);
  ctx.fillStyle = colours.muted;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const { top } = plan.axis;
  const right = axes.x.offset + axes.x.length;
  const name = time ? words.axis_time : words.axis_round;
  for (const [value, text] of ticks(view, axes, time)) {
    const x = axes.x.px(value), half = textWidth(ctx, text) / 2;
    if (x < axes.x.offset - 1 || x > right + 1) continue;
    ctx.fillStyle = colours.muted;
    ctx.fillText(text, Math.min(x, right - half), top); // the last one ends with the axis
  }
  if (!plan.narrow) {
    ctx.textAlign = "left";
    ctx.fillText(ellipsis(ctx, name, plan.left - 10), 0, top);
  } else {
    ctx.textAlign = "right";
    ctx.fillText(name, plan.width, top);
  }
}

// The plateaus of similarity at the right end: a tick at each level, a longer one where the trip moves.
function paintRails(ctx, { axes, colours, view, movers }) {
  const x = Math.round(axes.x.offset + axes.x.length) + 4.5;
  ctx.lineWidth = 1;
  ctx.strokeStyle = fade(colours.muted, 0.5);
  ctx.beginPath();
  ctx.moveTo(x, axes.contain.px(0));
  ctx.lineTo(x, axes.contain.px(1));
  ctx.stroke();
  let last = -10;
  view.levels.forEach((level, k) => {
    const y = Math.round(axes.contain.px(Math.min(1, levelValue(level, view.measure)))) + 0.5;
    const strong = movers.has(k + 1);
    if (!strong && Math.abs(y - last) < 2) return;
    last = y;
    ctx.strokeStyle = strong ? colours.trip : colours.muted;
    ctx.lineWidth = strong ? 2 : 1;
    ctx.beginPath();
    ctx.moveTo(x - 2, y);
    ctx.lineTo(x + (strong ? 6 : 3), y);
    ctx.stroke();
  });
}
