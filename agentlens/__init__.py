"""See where an LLM agent's run went in circles, and where a breaker would have stopped it.

Every public name is imported when it is first used, so that ``import agentlens`` is quick.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens import figures
    from agentlens.breaker.live.guard import Decision, Guard
    from agentlens.breaker.policy import Policy
    from agentlens.breaker.replay import Replay, replay
    from agentlens.breaker.task.run import Run
    from agentlens.errors import PolicyError, TraceError
    from agentlens.figures.compare.result import Compared, compare
    from agentlens.thresholds.choose import Choice, choose
    from agentlens.thresholds.evaluate import Evaluation, evaluate
    from agentlens.thresholds.shadow import Shadow, shadow_report
    from agentlens.thresholds.surface import Surface, surface
    from agentlens.thresholds.sweep import sweep
    from agentlens.trace.corpus import Corpus
    from agentlens.trace.formats.atif import to_atif, write_atif
    from agentlens.trace.formats.plain_write import to_plain, write_plain
    from agentlens.trace.formats.tables_write import to_parquet, write_parquet
    from agentlens.trace.load import load, load_many
    from agentlens.trace.model import Trace
    from agentlens.widgets.lens.lens import Lens
    from agentlens.widgets.lesson.lesson import TriggerAmplifier
    from agentlens.widgets.lesson.parts import IncidentView, TokenLab
    from agentlens.widgets.picker.picker import Picker
    from agentlens.widgets.report.write import report
    from agentlens.widgets.scan.scan import scan

__version__ = "0.1.0"

_HOME = {
    "Choice": "agentlens.thresholds.choose",
    "Compared": "agentlens.figures.compare.result",
    "Corpus": "agentlens.trace.corpus",
    "Decision": "agentlens.breaker.live.guard",
    "Evaluation": "agentlens.thresholds.evaluate",
    "Guard": "agentlens.breaker.live.guard",
    "IncidentView": "agentlens.widgets.lesson.parts",
    "Lens": "agentlens.widgets.lens.lens",
    "Picker": "agentlens.widgets.picker.picker",
    "Policy": "agentlens.breaker.policy",
    "PolicyError": "agentlens.errors",
    "Replay": "agentlens.breaker.replay",
    "Run": "agentlens.breaker.task.run",
    "Shadow": "agentlens.thresholds.shadow",
    "Surface": "agentlens.thresholds.surface",
    "TokenLab": "agentlens.widgets.lesson.parts",
    "Trace": "agentlens.trace.model",
    "TraceError": "agentlens.errors",
    "TriggerAmplifier": "agentlens.widgets.lesson.lesson",
    "choose": "agentlens.thresholds.choose",
    "compare": "agentlens.figures.compare.result",
    "evaluate": "agentlens.thresholds.evaluate",
    "figures": "agentlens.figures",
    "load": "agentlens.trace.load",
    "load_many": "agentlens.trace.load",
    "replay": "agentlens.breaker.replay",
    "report": "agentlens.widgets.report.write",
    "scan": "agentlens.widgets.scan.scan",
    "shadow_report": "agentlens.thresholds.shadow",
    "surface": "agentlens.thresholds.surface",
    "sweep": "agentlens.thresholds.sweep",
    "to_atif": "agentlens.trace.formats.atif",
    "to_parquet": "agentlens.trace.formats.tables_write",
    "to_plain": "agentlens.trace.formats.plain_write",
    "write_atif": "agentlens.trace.formats.atif",
    "write_parquet": "agentlens.trace.formats.tables_write",
    "write_plain": "agentlens.trace.formats.plain_write",
}

__all__ = [
    "Choice", "Compared", "Corpus", "Decision", "Evaluation", "Guard", "IncidentView", "Lens",
    "Picker", "Policy", "PolicyError", "Replay", "Run", "Shadow", "Surface", "TokenLab", "Trace",
    "TraceError", "TriggerAmplifier", "__version__", "choose", "compare", "evaluate", "figures",
    "load", "load_many", "replay", "report", "scan", "shadow_report", "surface", "sweep", "to_atif",
    "to_parquet", "to_plain", "write_atif", "write_parquet", "write_plain",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'agentlens' has no attribute {name!r}")
    module = importlib.import_module(home)
    value = module if home == f"agentlens.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if "ipykernel" in sys.modules:
    importlib.import_module("agentlens.warm").warm_up()
