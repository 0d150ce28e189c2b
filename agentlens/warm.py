"""In a notebook: what the Lens needs is imported while its reader looks at the cell before."""

from __future__ import annotations

import importlib
import sys

__all__ = ["warm_up"]

_SOON = 0.2  # seconds: the cell that imports agentlens shall be done by then


def warm_up() -> bool:
    """Import the Lens soon, if this is a notebook's kernel; say whether it will be.

    ipywidgets take about 0.2 s to import, which would otherwise be felt when the first Lens is
    shown. Outside a kernel nothing is done, so that ``import agentlens`` stays light.
    """
    if "ipykernel" not in sys.modules:
        return False
    import asyncio

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return False
    loop.call_later(_SOON, importlib.import_module, "agentlens.widgets.lens.lens")
    return True
