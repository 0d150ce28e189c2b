"""What the reader skipped, guessed or found damaged, as a muted line that opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens.widgets.escape import safe

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["notes_html"]


def notes_html(trace: Trace, lang: str = "en") -> str:
    """Return the notes of a trace for a page; empty where there are none."""
    if not trace.notes:
        return ""
    number = len(trace.notes)
    head = f"{number} 条读取说明" if lang == "zh" else f"Notes on reading: {number}"
    items = "".join(f"<li>{safe(note)}</li>" for note in trace.notes)
    return (
        '<details class="agentlens-round muted">'
        f"<summary>{head}</summary><ul>{items}</ul></details>"
    )
