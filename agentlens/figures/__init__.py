"""Pictures: pure functions from a replay or a surface to a plotly figure, in one theme.

`call_graph`, `timeline` and `trip_map` return plotly figures, `graph` the call graph as a
`networkx.DiGraph`. Each is imported when it is first used: plotly and networkx cost time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens.figures.calls import call_graph
    from agentlens.figures.cells import trip_map
    from agentlens.figures.network import graph
    from agentlens.figures.strips import timeline

_HOME = {"call_graph": "calls", "graph": "network", "timeline": "strips", "trip_map": "cells"}

__all__ = ["call_graph", "graph", "timeline", "trip_map"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'agentlens.figures' has no attribute {name!r}")
    return getattr(importlib.import_module(f"agentlens.figures.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
