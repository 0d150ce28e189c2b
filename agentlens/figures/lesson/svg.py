"""Marks of the lesson's pictures, as strings: rectangles, lines, dots, words."""

from __future__ import annotations

from html import escape

__all__ = ["WIDTH", "circle", "dots", "hatch", "line", "picture", "rect", "words"]

#: Width of every picture, in its own units; it shrinks with the page.
WIDTH = 760


def picture(height: float, parts: list[str], label: str, *, extra: str = "") -> str:
    """Return an ``<svg>`` of the lesson's width.

    Parameters
    ----------
    height
        In the units of `WIDTH`.
    parts
        Its marks.
    label
        What it says to a screen reader; not escaped.
    extra
        Further attributes, escaped.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="100%" '
        f'style="max-width:{WIDTH}px;display:block;margin:4px 0 8px" font-size="12" '
        f'fill="currentColor" role="img" aria-label="{escape(label)}"{extra}>{"".join(parts)}</svg>'
    )


def rect(
    x: float, y: float, width: float, height: float, fill: str, *,
    stroke: str = "", opacity: float = 1, extra: str = "", radius: float = 0, dash: str = "",
    thick: float = 1.5,
) -> str:  # fmt: skip
    """Return a rectangle; `fill` and `stroke` are colours or ``none``."""
    edge = f' stroke="{stroke}" stroke-width="{thick:g}"' if stroke else ""
    edge += f' stroke-dasharray="{dash}"' if dash else ""
    part = f' fill-opacity="{opacity:g}"' if opacity != 1 else ""
    corner = f' rx="{radius:g}"' if radius else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" '
        f'height="{max(0.0, height):.1f}" fill="{fill}"{edge}{part}{corner}{extra}/>'
    )


def line(
    x0: float, y0: float, x1: float, y1: float, colour: str, *, thick: float = 1, dash: str = ""
) -> str:
    """Return a straight line."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
        f'stroke-width="{thick:g}"{dashed}/>'
    )


def circle(x: float, y: float, radius: float, fill: str, *, stroke: str = "") -> str:
    """Return a dot, hollow where `fill` is ``none``."""
    edge = f' stroke="{stroke}" stroke-width="1.2"' if stroke else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}"{edge}/>'


def dots(places: list[tuple[float, float]], radius: float, colour: str) -> str:
    """Return many dots of one colour as one path: strokes of no length with round caps."""
    if not places:
        return ""
    path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return (
        f'<path d="{path}" stroke="{colour}" stroke-width="{2 * radius:g}" '
        'stroke-linecap="round" fill="none"/>'
    )


def words(
    x: float, y: float, text: str, *, fill: str = "", anchor: str = "start", size: float = 12,
    bold: bool = False, extra: str = "",
) -> str:  # fmt: skip
    """Return a text; it is escaped."""
    looks = f' fill="{fill}"' if fill else ""
    looks += f' text-anchor="{anchor}"' if anchor != "start" else ""
    looks += f' font-size="{size:g}"' if size != 12 else ""
    looks += ' font-weight="600"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{looks}{extra}>{escape(text)}</text>'


def hatch(mark: str, colour: str) -> str:
    """Return the pattern of what would not have happened; fill with ``url(#mark)``."""
    return (
        f'<defs><pattern id="{mark}" width="7" height="7" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><path d="M0 0V7" stroke="{colour}" stroke-opacity=".45"/>'
        "</pattern></defs>"
    )
