"""The parts of the figure of lanes: marks, hatching, near misses, what stands at the right."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.figures.base import Axis, Look
from agentlens.figures.rule_lanes.asides import log_marks, miss_marks, wrapped

if TYPE_CHECKING:
    from agentlens.figures.rule_lanes.row import Mark
    from agentlens.figures.rule_lanes.rows import LaneRows
    from agentlens.figures.rule_lanes.texts import Texts

__all__ = ["Drawing"]

#: Marks of one row and level that lie closer than the axis can show are drawn as one.
_CELLS = 240
#: Level: colour, symbol of a fact, symbol of what is counterfactual, size, width of the line.
_SYMBOLS = {
    "nudge": ("trigger", "circle", "circle-open", 8, 1.5),
    "block": ("stalled", "square", "square-open", 9, 1.5),
    "stop": ("trip", "line-ns-open", "line-ns-open", 15, 4),
    "wait": ("waiting_human", "diamond", "diamond", 7, 0),
}


class Drawing:
    """The parts of the figure."""

    def __init__(
        self, found: LaneRows, texts: Texts, axis: Axis, look: Look, *, slim: bool = False
    ) -> None:
        self.found, self.texts, self.axis, self.look = found, texts, axis, look
        self.first = 1 if found.advice else 0
        said = [texts.name(row) for row in found.rows]
        head = [texts.say("log")] if self.first else []
        self.names = [_coloured(name, look.colours["muted"]) for name in head]
        for name, row in zip(said, found.rows, strict=True):
            shown = _coloured(escape(name), look.colours["ink" if row.marks else "muted"])
            self.names.append(f"<b>{shown}</b>" if row.kind in ("rule", "policy") else shown)
        self.saved = [texts.saved(row, short=slim) for row in found.rows]
        told = [texts.told(short=slim)] if self.first else []
        self._log_told = "".join(told)
        self.left = 14 + max(_width(name) for name in [*said, *head])
        self.right = 14 + max(_width(s) for s in [*self.saved, *told, texts.say("saved_head")])

    @property
    def key_width(self) -> int:
        """About how many pixels the legend needs in one line."""
        keys = ("key_gone", "level_nudge", "level_block", "level_stop", "key_miss", "key_later")
        return sum(48 + _width(self.texts.say(key)) for key in keys)

    def traces(self) -> list[Any]:
        """Return bars that answer to the pointer, what would not have happened, and the marks."""
        made = [
            self._rows(),
            *self._gone(),
            *log_marks(self.found, self.texts, self.axis, self.look),
        ]
        for level in ("nudge", "block", "wait", "stop"):
            made += self._marks(level)
        misses = miss_marks(self.found, self.texts, self.axis, self.look, self.first)
        return [*made, *misses, *self._key()]

    def lines(self) -> list[dict[str, Any]]:
        """Return a hair line for each row."""
        line = {"color": self.look.colours["grid"], "width": 1}
        return [
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line,
             "layer": "below"}
            for y in range(len(self.names))
        ]  # fmt: skip

    def savings(self) -> list[dict[str, Any]]:
        """Return what stands at the right of each row."""
        colours = self.look.colours
        told = [(self.texts.say("saved_head"), -1, "muted")]
        if self.first:
            told.append((self._log_told, 0, "ink"))
        for y, (row, saved) in enumerate(zip(self.found.rows, self.saved, strict=True), self.first):
            told.append((saved, y, "ink" if row.saved is not None else "muted"))
        return [
            {"xref": "paper", "x": 1, "y": y, "text": text, "showarrow": False, "xanchor": "left",
             "xshift": 8, "yanchor": "middle", "font": {"size": 12 if y >= 0 else 11,
             "color": colours[colour]}, **({"yref": "paper", "y": 1, "yanchor": "bottom"}
             if y < 0 else {})}
            for text, y, colour in told
        ]  # fmt: skip

    def _rows(self) -> Any:
        """Return an unseen bar for each row, so that hovering anywhere on it says what it is."""
        import plotly.graph_objects as go

        low, high = self.axis.extent()
        told = []
        for row in self.found.rows:
            lines = [f"<b>{escape(self.texts.name(row))}</b> · {escape(self.texts.saved(row))}"]
            told.append("<br>".join(lines + wrapped(
                [*self.texts.about(row), *self.texts.near(row)]
            )))  # fmt: skip
        return go.Bar(
            orientation="h", base=low, x=[high - low] * len(told), width=0.96,
            y=list(range(self.first, self.first + len(told))), marker={"color": "rgba(0,0,0,0)"},
            text=told, textposition="none", hovertemplate="%{text}<extra></extra>",
            showlegend=False,
        )  # fmt: skip

    def _gone(self) -> list[Any]:
        """Return hatched bars over what would not have happened."""
        import plotly.graph_objects as go

        spans = [
            (y, *span, self.texts.gone(row))
            for y, row in enumerate(self.found.rows, self.first)
            for span in row.spans
        ]
        if not spans:
            return []
        lows = [self.axis.cell(low)[0] for _, low, _, _ in spans]
        highs = [self.axis.cell(high)[1] for _, _, high, _ in spans]
        colour = self.look.colours["trip"]
        return [
            go.Bar(
                orientation="h", name=self.texts.say("key_gone"), base=lows, width=0.5,
                x=[high - low for low, high in zip(lows, highs, strict=True)],
                y=[y for y, *_ in spans], text=[escape(told) for *_, told in spans],
                textposition="none", hovertemplate="%{text}<extra></extra>",
                marker={
                    "color": "rgba(0,0,0,0)", "line": {"width": 0},
                    "pattern": {"shape": "/", "size": 6, "solidity": 0.18, "fgcolor": colour,
                                "bgcolor": "rgba(0,0,0,0)", "fgopacity": 0.75},
                },
            )
        ]  # fmt: skip

    def _marks(self, level: str) -> list[Any]:
        import plotly.graph_objects as go

        colour, solid, hollow, size, width = _SYMBOLS[level]
        made: list[Any] = []
        for fact in (False, True):
            xs, ys, told, faint = [], [], [], []
            for y, row in enumerate(self.found.rows, self.first):
                own = [
                    m for m in row.marks if m.level == level and (m.fact or level == "wait") is fact
                ]
                head = f"<b>{escape(self.texts.name(row))}</b>"
                for mark, more, last in self._thinned(own, _CELLS if fact else _CELLS // 4):
                    lines = self.texts.mark(mark)
                    if more:
                        lines.insert(1, self.texts.say("more", n=more, round=last))
                    xs.append(self._at(mark))
                    ys.append(y)
                    told.append("<br>".join([head, *wrapped(lines)]))
                    faint.append(row.is_past(mark))
            if not xs:
                continue
            thin = 2.5 if level == "stop" else 1.5
            made.append(
                go.Scatter(
                    x=xs, y=ys, mode="markers", name=self.texts.say(f"level_{level}"),
                    legendgroup=level, showlegend=fact or (not made and not self._has_fact(level)),
                    text=told, hovertemplate="%{text}<extra></extra>", cliponaxis=False,
                    marker={
                        "symbol": solid if fact else hollow, "size": size,
                        "opacity": [0.5 if past else 1 for past in faint],
                        "color": self.look.colours[colour],
                        "line": {"width": width if fact else min(width, thin),
                                 "color": self.look.colours[colour]},
                    },
                )
            )  # fmt: skip
        return made

    def _has_fact(self, level: str) -> bool:
        marks = (mark for row in self.found.rows for mark in row.marks)
        return any(mark.level == level and (mark.fact or level == "wait") for mark in marks)

    def _key(self) -> list[Any]:
        """Return an entry of the legend for hollow marks, where there are any."""
        import plotly.graph_objects as go

        marks = (mark for row in self.found.rows for mark in row.marks)
        if all(mark.fact or mark.level == "wait" for mark in marks):
            return []
        marker = {"symbol": "circle-open", "size": 8, "color": self.look.colours["muted"]}
        return [go.Scatter(x=[None], y=[None], mode="markers", name=self.texts.say("key_later"),
                           marker=marker)]  # fmt: skip

    def _at(self, mark: Mark) -> float:
        """Return where a mark sits: stops at the edge between what ran and what would not have."""
        low, high = self.axis.cell(mark.place)
        if mark.level == "stop":
            return high if mark.phase == "after" else low
        return (low + high) / 2

    def _thinned(self, marks: Sequence[Mark], cells: int) -> list[tuple[Mark, int, int]]:
        """Return marks that can be told apart: each with how many it stands for and their last."""
        low, high = self.axis.extent()
        cell = (high - low) / cells
        rounds = self.found.view.replay.trace.tables["rounds"]["round"]
        found: list[tuple[Mark, int, int]] = []
        for mark in marks:
            number = rounds[self.found.view.rows[mark.place]]
            if found and len(self.found.view) > cells:
                first, more, _ = found[-1]
                if self._at(mark) - self._at(first) < cell:
                    found[-1] = (first, more + 1, number)
                    continue
            found.append((mark, 0, number))
        return found


def _coloured(text: str, colour: str) -> str:
    return f'<span style="color:{colour}">{text}</span>'


def _width(text: str) -> int:
    """Return about how many pixels a text is wide at 12 pixels."""
    return sum(12 if ord(char) > 0x2E80 else 7 for char in text)
