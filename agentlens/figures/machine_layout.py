"""Where the states and transitions of the machine are drawn: by hand, in pixels, y upwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.breaker.machine import STATES, TABLE, TERMINALS, Arc

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["BOX", "PLACES", "ROUTES", "SIZE", "Route", "curve", "machine_graph", "route_of"]

Point = tuple[float, float]

#: Width and height of the whole drawing, and of a state's box.
SIZE = (968, 440)
BOX = (152, 44)

#: Middle of each state's box.
PLACES: dict[str, Point] = {
    "running": (98, 244),
    "stalled": (350, 396),
    "waiting_human": (350, 106),
    "finalizing": (592, 244),
    "completed": (878, 396),
    "partial": (878, 244),
    "failed": (878, 106),
}


@dataclass(frozen=True, slots=True)
class Route:
    """One curve: a cubic Bézier of four points, and where its label stands: beside it or on it."""

    points: tuple[Point, Point, Point, Point]
    label: Point
    anchor: str = "center"
    on_line: bool = False


#: Transitions with the same ends and of the same kind (given or not) share a curve.
ROUTES: dict[tuple[str, str, bool], Route] = {
    ("running", "stalled", True): Route(
        ((74, 266), (74, 350), (150, 404), (274, 404)), (114, 370), "right"
    ),
    ("stalled", "running", True): Route(
        ((274, 386), (190, 386), (122, 340), (122, 266)), (172, 338), "left"
    ),
    ("stalled", "finalizing", True): Route(
        ((426, 404), (546, 404), (616, 350), (616, 266)), (580, 370), "left"
    ),
    ("stalled", "finalizing", False): Route(
        ((426, 386), (500, 386), (568, 340), (568, 266)), (518, 338), "right"
    ),
    ("running", "waiting_human", True): Route(
        ((74, 222), (74, 150), (150, 96), (274, 96)), (132, 78), "left"
    ),
    ("waiting_human", "running", False): Route(
        ((274, 116), (190, 116), (122, 152), (122, 222)), (172, 160), "left"
    ),
    ("stalled", "waiting_human", False): Route(
        ((350, 374), (350, 300), (350, 200), (350, 128)), (350, 300), on_line=True
    ),
    ("running", "finalizing", False): Route(
        ((174, 256), (260, 256), (430, 256), (516, 256)), (260, 256), on_line=True
    ),
    ("running", "finalizing", True): Route(
        ((174, 232), (260, 232), (430, 232), (516, 232)), (260, 232), on_line=True
    ),
    ("waiting_human", "finalizing", False): Route(
        ((426, 116), (500, 116), (568, 152), (568, 222)), (514, 172), "right"
    ),
    ("finalizing", "waiting_human", False): Route(
        ((610, 222), (610, 150), (546, 96), (426, 96)), (574, 112), "left"
    ),
    ("finalizing", "partial", True): Route(
        ((668, 256), (700, 256), (770, 256), (802, 256)), (735, 256), on_line=True
    ),
    ("finalizing", "partial", False): Route(
        ((668, 232), (700, 232), (770, 232), (802, 232)), (736, 206)
    ),
    ("finalizing", "completed", False): Route(
        ((648, 266), (660, 350), (720, 396), (802, 396)), (742, 352), "left"
    ),
    ("finalizing", "failed", False): Route(
        ((648, 222), (656, 150), (716, 106), (802, 106)), (698, 162), "left"
    ),
    ("running", "failed", False): Route(
        ((36, 222), (36, 60), (120, 40), (300, 40)), (480, 40), on_line=True
    ),
}  # fmt: skip

#: What is left of the way of a curve that goes round the others: a line, then a bow to its end.
AROUND: dict[tuple[str, str, bool], tuple[Point, ...]] = {
    ("running", "failed", False): ((640, 40), (878, 40), (878, 40), (878, 84)),
}


def route_of(arc: Arc) -> tuple[str, str, bool]:
    """Return the key of the curve that a row of the table is drawn on."""
    return arc.source, arc.target, arc.given


def _bezier(points: tuple[Point, ...], steps: int) -> list[Point]:
    made = []
    for step in range(steps + 1):
        t = step / steps
        u = 1 - t
        parts = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
        made.append(
            (
                sum(w * p[0] for w, p in zip(parts, points, strict=True)),
                sum(w * p[1] for w, p in zip(parts, points, strict=True)),
            )
        )
    return made


def curve(key: tuple[str, str, bool], steps: int = 24) -> list[Point]:
    """Return the points of a curve, from its first state's border to its second's."""
    made = _bezier(ROUTES[key].points, steps)
    return made + _bezier(AROUND[key], steps) if key in AROUND else made


def machine_graph() -> nx.MultiDiGraph:
    """Return the machine as a graph that a user can take away.

    A node is a state, with ``terminal`` and ``pos`` (pixels, y upwards); an edge is a row of the
    table, by its event and, where that has two targets, by ``usable``; ``given`` tells the rows
    of the design's article from those that the design added.
    """
    import networkx as nx

    made = nx.MultiDiGraph(name="machine")
    for state in STATES:
        made.add_node(state, terminal=state in TERMINALS, pos=PLACES[state])
    for arc in TABLE:
        made.add_edge(
            arc.source, arc.target, key=arc.event, event=arc.event, given=arc.given,
            usable=arc.usable,
        )  # fmt: skip
    return made
