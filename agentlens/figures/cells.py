"""The trip map: similarity across, threshold up, in exact cells the round it stops before."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from agentlens.figures.base import Look, figure, look_of
from agentlens.figures.theme import RAMP

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agentlens.thresholds.surface import Surface

__all__ = ["trip_map"]

#: Shape, size in pixels and solidity of what is hatched where nothing trips.
_PATTERNS = {
    "map_none": ("/", 12, 0.06),
    "map_dead": ("/", 6, 0.15),
    "map_unreachable": ("x", 6, 0.15),
}
_LEAST_ROWS, _MOST_ROWS = 6, 12


def trip_map(
    surface: Surface, *, rows: int | None = None, theme: str = "light", lang: str = "en"
) -> go.Figure:
    """Return a surface as a map of exact cells.

    Within a cell nothing changes; its borders are the similarities at which the trip moves.
    Hatched are cells without a trip: above the highest score (`dead`), thresholds that the count
    cannot reach at any similarity (`unreachable`), and what lies between them and the trips.

    Parameters
    ----------
    surface
        From `agentlens.surface`, of one trace.
    rows
        Thresholds shown, from 1 on; by default as many as can trip, six to twelve.
    theme, lang
        As in `agentlens.figures.call_graph`.
    """
    look = look_of(theme, lang)
    most = rows or min(_MOST_ROWS, max(_LEAST_ROWS, surface.max_threshold + 1))
    edges, grid = _grid(surface, most)
    made = figure(look, 80 + 28 * most)
    rounds = surface.trace.tables["rounds"]
    numbers = [[None if row is None else rounds["round"][row] for row in line] for line in grid]
    made.add_trace(_heat(edges, numbers, look))
    for kind, cells in _hatched(surface, edges, grid).items():
        if cells:
            made.add_trace(_hatch(kind, cells, look))
    made.update_xaxes(
        range=[edges[0], 1], tickvals=sorted(set(edges)), zeroline=False, showgrid=False,
        tickformat=".3~f", title_text=look.say("handle_similarity"), tickangle=0,
    )  # fmt: skip
    made.update_yaxes(
        range=[0.5, most + 0.5],
        dtick=1,
        zeroline=False,
        showgrid=False,
        title_text=look.say("handle_threshold"),
    )
    _ring(made, surface, edges, look)
    return made


def _value(bound: Any, measure: str) -> float:
    value = float(bound)
    return math.sqrt(value) if measure == "cosine" else value


def _grid(surface: Surface, most: int) -> tuple[list[float], list[list[int | None]]]:
    """Return the borders of all columns, and for each threshold the trip's row in each column."""
    cells = [surface.cells(threshold) for threshold in range(1, most + 1)]
    bounds = sorted({edge for line in cells for low, high, _ in line for edge in (low, high)})
    grid = []
    for line in cells:
        found: list[int | None] = []
        for low, high in pairwise(bounds):
            found.append(next(row for a, b, row in line if a <= low and high <= b))
        grid.append(found)
    return [_value(bound, surface.policy.measure) for bound in bounds], grid


def _heat(edges: list[float], numbers: list[list[int | None]], look: Look) -> Any:
    import plotly.graph_objects as go

    known = [n for line in numbers for n in line if n is not None]
    last = len(RAMP) - 1
    texts = [["" if n is None else str(n) for n in line] for line in numbers]
    hover = [
        [
            look.say(
                "map_cell_none" if n is None else "map_cell_trip",
                similarity=f"{low:.3g}–{high:.3g}", threshold=k, round=n,
            )
            for n, (low, high) in zip(line, pairwise(edges), strict=True)
        ]
        for k, line in enumerate(numbers, 1)
    ]  # fmt: skip
    return go.Heatmap(
        x=edges, y=[k + 0.5 for k in range(len(numbers) + 1)],
        z=[[math.nan if n is None else n for n in line] for line in numbers],
        text=texts, texttemplate="%{text}", customdata=hover,
        hovertemplate="%{customdata}<extra></extra>", showscale=False, xgap=1, ygap=1,
        colorscale=[[k / last, colour] for k, colour in enumerate(RAMP)],
        zmin=min(known, default=0), zmax=max(known, default=1),
    )  # fmt: skip


Cell = tuple[float, float, int]


def _hatched(
    surface: Surface, edges: list[float], grid: list[list[int | None]]
) -> dict[str, list[Cell]]:
    """Return the cells without a trip that deserve a name: ``(low, high, threshold)``."""
    cells: dict[str, list[Cell]] = {"map_none": [], "map_dead": [], "map_unreachable": []}
    dead = {
        column for column in range(len(edges) - 1) if all(line[column] is None for line in grid)
    }
    for threshold, line in enumerate(grid, 1):
        for column, (low, high) in enumerate(pairwise(edges)):
            if line[column] is not None:
                continue
            if threshold > surface.max_threshold:
                cells["map_unreachable"].append((low, high, threshold))
            elif column in dead:
                cells["map_dead"].append((low, high, threshold))
            else:
                cells["map_none"].append((low, high, threshold))
    return cells


def _hatch(kind: str, cells: list[Cell], look: Look) -> Any:
    import plotly.graph_objects as go

    xs: list[float | None] = []
    ys: list[float | None] = []
    for low, high, k in cells:
        xs += [low, high, high, low, low, None]
        ys += [k - 0.5, k - 0.5, k + 0.5, k + 0.5, k - 0.5, None]
    shape, size, solidity = _PATTERNS[kind]
    pattern = {
        "shape": shape, "fgcolor": look.colours["muted"], "size": size, "solidity": solidity,
        "bgcolor": "rgba(0,0,0,0)",
    }  # fmt: skip
    said = look.say(kind)
    return go.Scatter(
        x=xs, y=ys, mode="lines", line={"width": 0}, fill="toself", fillpattern=pattern, name=said,
        text=said, hoveron="fills", hoverinfo="text",
    )  # fmt: skip


def _ring(made: go.Figure, surface: Surface, edges: list[float], look: Look) -> None:
    policy = surface.policy
    at = float(policy.similarity)
    column = next(
        (
            (low, high)
            for low, high in pairwise(edges)
            if (at < high if policy.strict else at <= high)
        ),
        (edges[-2], edges[-1]),
    )
    k = policy.threshold
    made.add_shape(
        type="rect", x0=column[0], x1=column[1], y0=k - 0.5, y1=k + 0.5,
        line={"color": look.colours["ink"], "width": 2},
    )  # fmt: skip
