"""Where the strips of a still picture lie, and the few SVG elements that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from agentlens.figures.call_lanes import Lanes
from agentlens.figures.theme import MID, MID_CLUSTERS
from agentlens.figures.view import View

__all__ = ["LEFT", "RIGHT", "WIDTH", "Frame", "colour_of", "dots", "frame_of", "label", "rule"]

WIDTH, LEFT, RIGHT, AIR = 760, 132, 56, 12


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the strips lie, in pixels from the top."""

    view: View
    lanes: Lanes
    lane_top: float
    lane_height: float
    contain_top: float
    count_top: float
    band_top: float
    height: float
    count_most: int

    def x(self, position: float) -> float:
        """Return where a position lies."""
        return LEFT + (position + 0.5) / max(1, len(self.view)) * (WIDTH - LEFT - RIGHT)

    def lane_y(self, y: float) -> float:
        """Return the height of a lane's middle."""
        return self.lane_top + (y + 0.5) / max(1, len(self.lanes.lanes)) * self.lane_height

    def contain_y(self, value: float) -> float:
        """Return the height of a containment."""
        return self.contain_top + (1 - value) * 96 + 4

    def count_y(self, value: float) -> float:
        """Return the height of a count."""
        return self.count_top + (1 - value / self.count_most) * 66 + 4


def frame_of(view: View, lanes: Lanes) -> Frame:
    """Return where the strips of a view lie."""
    height = min(220, max(72, 22 * len(lanes.lanes)))
    contain = 22 + height + AIR
    count = contain + 104 + AIR
    band = count + 74 + AIR
    most = max(4, view.replay.policy.threshold + 1)
    return Frame(view, lanes, 22, height, contain, count, band, band + 44, most)


def label(x: float, y: float, text: str, extra: str = "") -> str:
    """Return a ``<text>`` element, its text escaped."""
    return f'<text x="{x:g}" y="{y:g}" {extra}>{escape(text)}</text>'


def dots(points: set[tuple[int, int]], colour: str, width: float, cap: str = "round") -> str:
    """Return one ``<path>`` with a dot at each point; `cap` is ``round`` or ``square``."""
    if not points:
        return ""
    path = "".join(f"M{x} {y}h0" for x, y in sorted(points))
    style = f'stroke="{colour}" stroke-width="{width:g}" stroke-linecap="{cap}" fill="none"'
    return f'<path d="{path}" {style}/>'


def colour_of(group: int) -> str:
    """Return the colour of a cluster by its number; muted for -1."""
    return MID["muted"] if group < 0 else MID_CLUSTERS[group % len(MID_CLUSTERS)]


def rule(y: float, text: str) -> list[str]:
    """Return a setting's line across a strip, with its value at the right end."""
    accent, right = MID["accent"], WIDTH - RIGHT
    return [
        f'<path d="M{LEFT} {y:g}H{right}" stroke="{accent}" stroke-width="1.5"/>',
        label(right + 6, y + 4, text, f'fill="{accent}" font-weight="600"'),
    ]
