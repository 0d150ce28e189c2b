"""Colours, type and sizes of every picture: one table, read by figures, stills and the stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = [
    "CLUSTERS",
    "DARK",
    "FONT",
    "LIGHT",
    "MID",
    "MOST_LANES",
    "RAMP",
    "css_variables",
    "ink_on",
    "ramp",
]

#: System font, then what renders Chinese on each platform.
FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, '
    '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif'
)

#: At most so many clusters have a lane of their own.
MOST_LANES = 8

_LIGHT_CLUSTERS = (
    "#0072B2",
    "#D55E00",
    "#00805E",
    "#A8508A",
    "#A66E00",
    "#2A7F93",
    "#8C564B",
    "#5A6572",
)
_DARK_CLUSTERS = (
    "#4FA8DC",
    "#FF8A4C",
    "#33C39A",
    "#DD8FBE",
    "#E6A93A",
    "#63BFD3",
    "#C89186",
    "#9AA7B5",
)

LIGHT: Mapping[str, str] = {
    "ink": "#1B2026",
    "muted": "#5A6572",
    "ground": "#FFFFFF",
    "grid": "#E3E7EB",
    "trip": "#C62828",
    "accent": "#0B5CAD",
    "trigger": "#A66200",
    "amplifier": "#0B5CAD",
    "running": "#6B7785",
    "stalled": "#C2410C",
    "waiting_human": "#7E3AA6",
    "finalizing": "#0B5CAD",
    "completed": "#0B7A4B",
    "partial": "#8A6100",
    "failed": "#7A1020",
}

DARK: Mapping[str, str] = {
    "ink": "#E8EBEE",
    "muted": "#9AA7B5",
    "ground": "#111418",
    "grid": "#2A3038",
    "trip": "#FF6B6B",
    "accent": "#66AFFF",
    "trigger": "#FFB340",
    "amplifier": "#66AFFF",
    "running": "#8D99A8",
    "stalled": "#FF8A4C",
    "waiting_human": "#C79BE6",
    "finalizing": "#66AFFF",
    "completed": "#4CCB91",
    "partial": "#E0B04A",
    "failed": "#FF8095",
}

CLUSTERS: Mapping[str, tuple[str, ...]] = {"light": _LIGHT_CLUSTERS, "dark": _DARK_CLUSTERS}

#: Middle tones that hold 3 : 1 on white and on #111418 alike, for pictures that cannot know their
#: ground: a saved notebook, a figure on a page of unknown theme.
MID: Mapping[str, str] = {
    "ink": "currentColor",
    "muted": "#7A8592",
    "grid": "#8A94A0",
    "trip": "#E04848",
    "accent": "#2F7FD0",
    "trigger": "#B5791C",
    "amplifier": "#2F7FD0",
    "running": "#7A8592",
    "stalled": "#D9652B",
    "waiting_human": "#A066C8",
    "finalizing": "#2F7FD0",
    "completed": "#1E9463",
    "partial": "#A67A1A",
    "failed": "#C24A5E",
}

MID_CLUSTERS = (
    "#2C86C2",
    "#DB6A20",
    "#1A9470",
    "#B8619A",
    "#AD7A1A",
    "#3A8CA0",
    "#A4705F",
    "#7A8592",
)

#: Viridis (van der Walt and Smith, 2015) cut to its middle 80 %: six stops from 0.1 to 0.9.
RAMP = ("#482475", "#3C4F8A", "#2A768E", "#20A386", "#5DC963", "#BBDF27")


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def ramp(part: float) -> str:
    """Return the colour of a place in [0, 1] on the sequential scale."""
    at = min(1.0, max(0.0, part)) * (len(RAMP) - 1)
    low = min(len(RAMP) - 2, int(at))
    mixed = (
        round(a + (b - a) * (at - low))
        for a, b in zip(_channels(RAMP[low]), _channels(RAMP[low + 1]), strict=True)
    )
    return "#" + "".join(f"{v:02X}" for v in mixed)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [v / 255 for v in _channels(colour)]
    r, g, b = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink_on(colour: str) -> str:
    """Return black or white, whichever is read more easily on a colour: at least 4.5 : 1."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, colour))


def _lines(colours: Mapping[str, str], clusters: Iterable[str]) -> list[str]:
    named = [f"--al-{name.replace('_', '-')}:{value};" for name, value in colours.items()]
    return named + [f"--al-c{i}:{value};" for i, value in enumerate(clusters)]


def css_variables() -> str:
    """Return the style rules that give an element the colours of its ``data-theme``.

    Text and ground come from the host (`--jp-*`) unless the theme was forced.
    """
    light, dark = "".join(_lines(LIGHT, _LIGHT_CLUSTERS)), "".join(_lines(DARK, _DARK_CLUSTERS))
    scale = "".join(f"--al-v{i}:{value};" for i, value in enumerate(RAMP))
    host = "".join(
        f".al-theme[data-theme={theme}][data-forced=false]{{"
        f"--al-ink:var(--jp-content-font-color1,{colours['ink']});"
        f"--al-ground:var(--jp-layout-color0,{colours['ground']});}}\n"
        for theme, colours in (("light", LIGHT), ("dark", DARK))
    )
    return (
        f".al-theme{{--al-font:{FONT};{scale}{light}}}\n"
        f".al-theme[data-theme=dark]{{{dark}}}\n{host}"
    )
