"""Pictures: pure functions from a replay or a surface to a plotly figure, in one theme.

`call_graph`, `timeline`, `trip_map`, `lanes` and `state_machine` return plotly figures, `graph` and
`machine_graph` networkx graphs, `lanes_table` a frame and `lanes_html` a page. Each is imported
when it is first used: plotly and networkx cost time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens.figures.calls import call_graph
    from agentlens.figures.cells import trip_map
    from agentlens.figures.machine import state_machine
    from agentlens.figures.machine_layout import machine_graph
    from agentlens.figures.network import graph
    from agentlens.figures.rule_lanes.draw import lanes
    from agentlens.figures.rule_lanes.page import lanes_html
    from agentlens.figures.rule_lanes.table import lanes_table
    from agentlens.figures.strips import timeline

_HOME = {
    "call_graph": "calls",
    "graph": "network",
    "lanes": "rule_lanes.draw",
    "lanes_html": "rule_lanes.page",
    "lanes_table": "rule_lanes.table",
    "machine_graph": "machine_layout",
    "state_machine": "machine",
    "timeline": "strips",
    "trip_map": "cells",
}

__all__ = [
    "call_graph", "graph", "lanes", "lanes_html", "lanes_table", "machine_graph", "state_machine",
    "timeline", "trip_map",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'agentlens.figures' has no attribute {name!r}")
    return getattr(importlib.import_module(f"agentlens.figures.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
