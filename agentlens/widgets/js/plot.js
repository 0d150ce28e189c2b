import { centre } from "./data.js";
import { clusterColour, fade } from "./colours.js";
import { arcPoints } from "./draw.js";
import { arcOpacity, callScore, dotSize, scoreValue } from "./marks.js";
import { CONTAIN_RANGE } from "./scale.js";

// The lower layer, drawn by plotly: nodes, arcs, dots, grid; zoom. It is left alone while a handle
// moves. Below a few hundred marks plain SVG is sharper and needs no WebGL context.

const MOST_SVG = 400;

const CONFIG = {
  displayModeBar: false, displaylogo: false, showSendToCloud: false, scrollZoom: false,
  doubleClick: false, showTips: false, responsive: false,
};

const SYMBOLS = { cluster: "circle", more: "square", single: "circle-open", other: "diamond" };

function traces(scene) {
  const { view, layout, colours, time, node, index } = scene;
  const { round } = view.calls;
  const calls = round ? round.length : 0;
  const type = calls + view.n > MOST_SVG ? "scattergl" : "scatter";
  const shared = { type, hoverinfo: "skip", showlegend: false, cliponaxis: false };
  const x = new Float64Array(calls);
  const fill = new Array(calls), edge = new Array(calls), width = new Float64Array(calls), symbol = new Array(calls), size = new Float64Array(calls);
  for (let c = 0; c < calls; c++) {
    const kind = layout.kinds[c], solid = kind === "cluster" || kind === "more";
    x[c] = centre(view, round[c], time);
    symbol[c] = SYMBOLS[kind];
    fill[c] = solid ? clusterColour(colours, layout.group[c]) : kind === "other" ? colours.muted : colours.ink;
    edge[c] = kind === "other" ? colours.muted : colours.ink;
    width[c] = solid ? node.ring * callScore(view, c) : kind === "single" ? 1.25 : 0;
    size[c] = node.size * (kind === "other" ? 0.75 : kind === "single" ? 0.85 : 1);
  }
  const dots = { x: [], y: [], colour: [], symbol: [] };
  for (let i = 0; i < view.n; i++) {
    if (view.query[i] < 0) continue;
    const call = index.ofQuery[view.query[i]];
    dots.x.push(centre(view, i, time));
    dots.y.push(scoreValue(view, i));
    dots.colour.push(clusterColour(colours, call >= 0 ? layout.group[call] : -1));
    dots.symbol.push(view.role[i] === 0 ? "circle" : "circle-open");
  }
  return [
    { ...shared, ...arcLines(scene), mode: "lines", line: { width: 1, color: fade(colours.ink, arcOpacity(scene.arcList.length)) }, xaxis: "x", yaxis: "y" },
    {
      ...shared, x, y: layout.y, mode: "markers", xaxis: "x", yaxis: "y",
      marker: { size, color: fill, symbol, opacity: 1, line: { width, color: edge } },
    },
    {
      ...shared, x: dots.x, y: dots.y, mode: "markers", xaxis: "x", yaxis: "y2",
      marker: { size: dotSize(node.size), color: dots.colour, symbol: dots.symbol, opacity: 1, line: { width: 0 } },
    },
    { ...shared, type: "scatter", x: [null], y: [null], mode: "markers", xaxis: "x", yaxis: "y3" },
  ];
}

function arcLines({ arcList, axes }) {
  const x = [], y = [];
  for (const [x0, y0, x1, y1] of arcList) {
    for (const [px, py] of arcPoints(x0, y0, x1, y1, axes.lanes.scale, axes.x.scale)) { x.push(px); y.push(py); }
    x.push(null);
    y.push(null);
  }
  return x.length ? { x, y } : { x: [null], y: [null] };
}

function layoutOf(scene) {
  const { plan, ranges, colours, layout, coarse } = scene;
  const place = ({ top, height }) => [1 - (top + height) / plan.height, 1 - top / plan.height];
  const grid = { showgrid: true, gridcolor: colours.grid, gridwidth: 1, zeroline: false, showline: false, showticklabels: false, ticks: "", fixedrange: true };
  return {
    width: plan.width, height: plan.height, autosize: false,
    margin: { l: plan.left, r: plan.right, t: 0, b: 0, pad: 0, autoexpand: false },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: false,
    dragmode: coarse ? false : "zoom", selectionrevision: 0,
    xaxis: { range: [...ranges.x], showgrid: false, zeroline: false, showline: false, showticklabels: false, ticks: "", anchor: "y3", fixedrange: coarse },
    yaxis: { ...grid, domain: place(plan.lanes), range: [...ranges.lanes], tickvals: layout.lanes.map((_, k) => k) },
    yaxis2: { ...grid, domain: place(plan.contain), range: [...CONTAIN_RANGE], tickvals: [0, 0.5, 1] },
    yaxis3: { ...grid, domain: place(plan.count), range: [...ranges.count], tickvals: [0] },
  };
}

export function makePlot(Plotly, div, { zoomed, reset }) {
  let drawn = false;
  return {
    get axes() { return drawn ? div : null; },
    async draw(scene) {
      const first = !drawn;
      await Plotly.react(div, traces(scene), layoutOf(scene), CONFIG);
      drawn = true;
      if (!first) return;
      div.on("plotly_relayout", (change) => {
        const low = change["xaxis.range[0]"] ?? change["xaxis.range"]?.[0];
        const high = change["xaxis.range[1]"] ?? change["xaxis.range"]?.[1];
        if (low !== undefined && high !== undefined) zoomed([Number(low), Number(high)]);
      });
      div.on("plotly_doubleclick", reset);
    },
    close: () => { if (drawn) Plotly.purge(div); },
  };
}
