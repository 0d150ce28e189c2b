"""What is said of the lanes: names, savings, reasons; text of the trace in them is masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.blind import blind_spots
from agentlens.breaker.near.words import miss_words
from agentlens.breaker.words import duration
from agentlens.figures.words import fill, load_words
from agentlens.trace.redact import redact

if TYPE_CHECKING:
    from agentlens.figures.rule_lanes.row import LaneRow, Mark
    from agentlens.figures.rule_lanes.rows import LaneRows

__all__ = ["Texts"]

_WORDS = load_words("agentlens.figures.rule_lanes")


class Texts:
    """What is said of some rows in one language."""

    def __init__(self, lanes: LaneRows, lang: str) -> None:
        self.lanes, self.lang = lanes, lang
        self._rounds = lanes.view.replay.trace.tables["rounds"]["round"]

    def say(self, key: str, **values: Any) -> str:
        """Fill a template."""
        return fill(_WORDS[self.lang][key], values)

    def round(self, place: int) -> str:
        """Name the round at a position."""
        return self.say("round", n=self._rounds[self.lanes.view.rows[place]])

    def name(self, row: LaneRow) -> str:
        """Return what a row is called."""
        if row.kind == "rule":
            return f"{self.lanes.view.replay.policy.name} · {row.name}"
        if row.kind != "steps":
            return row.name
        limit = row.steps.limit if row.steps else None
        return self.say("steps") if limit is None else self.say("steps_of", n=limit)

    def saved(self, row: LaneRow, *, short: bool = False) -> str:
        """Return what the row's stops would have saved, or why they save nothing."""
        if row.saved is not None:
            said = self.say("nothing_saved")
            if row.saved.rounds:
                said = self.say("saved", n=row.saved.rounds)
                if row.saved.seconds is not None and not short:
                    said += f" · {duration(row.saved.seconds)}"
            return self.say("at_most", said=said) if row.upper else said
        if row.steps is not None and row.steps.limit is None:
            return self.say("steps_none", needed=row.steps.needed)
        levels = {mark.level for mark in row.marks}
        for level, key in (("block", "blocked"), ("nudge", "warned"), ("wait", "waits")):
            if level in levels:
                return self.say(key)
        return self.say("never")

    def about(self, row: LaneRow) -> list[str]:
        """Say what a row is, and what of it cannot be replayed."""
        lines = [self.say(f"kind_{row.kind}", policy=self.lanes.view.replay.policy.name,
                          version=row.version or "–")]  # fmt: skip
        if row.kind == "rule":
            blind = blind_spots(self.lanes.view.replay.policy).get(row.name)
            lines += [self.say("blind", what=blind)] if blind else []
        if row.shipped in ("off", "advice"):
            lines.append(self.say(f"shipped_{row.shipped}"))
        if row.cannot:
            lines.append(self.say("cannot", what=row.cannot))
        if row.upper:
            lines.append(self.say("upper"))
        if row.steps is not None:
            lines.append(self._steps(row))
        return lines

    def _steps(self, row: LaneRow) -> str:
        found = row.steps
        assert found is not None
        if found.limit is None:
            return self.say("steps_none_why", needed=found.needed, runs=found.runs)
        if not found.runs:
            return self.say("steps_given", n=found.limit)
        share = f"{found.share:.0%}"
        return self.say("steps_why", n=found.limit, runs=found.runs, share=share)

    def mark(self, mark: Mark) -> list[str]:
        """Say what a mark is and why it is there."""
        when = self.say("after" if mark.phase == "after" else "before")
        said = f"{self.round(mark.place)}: {self.say(f'level_{mark.level}')}, {when}"
        lines = [said, redact(mark.reason)]
        if mark.level != "wait":
            lines.append(self.say("first" if mark.fact else "later"))
        return lines

    def gone(self, row: LaneRow) -> str:
        """Say what would not have happened."""
        return self.say("gone", saved=self.saved(row))

    def told(self, *, short: bool = False) -> str:
        """Say in short what came of the log's own warnings."""
        ignored = sum(advice.ignored for advice in self.lanes.advice)
        key = "ignored_short" if short else "ignored"
        return self.say(key, n=ignored) if ignored else self.say("heeded")

    def near(self, row: LaneRow, most: int = 3) -> list[str]:
        """Say what a row missed."""
        return [
            self.say("missed", why=redact(miss_words(miss, self.lang))) for miss in row.near[:most]
        ]
