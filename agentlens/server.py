"""Jupyter server extension: kernel messages leave at once instead of waiting to be joined.

Jupyter's server leaves Nagle's algorithm on for its kernel websockets; together with delayed
acknowledgements this holds small messages back for about 40 ms each, which a handle dragged with
Python in the loop shows as stutter. Setting TCP_NODELAY on these sockets is all that this does.
It is on where ``agentlens lab`` starts the server, and wherever the package is installed.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

__all__ = ["send_at_once"]

_MARK = "_agentlens_nodelay"


def send_at_once(handler: type[Any]) -> bool:
    """Make a websocket handler class set TCP_NODELAY whenever it opens.

    Parameters
    ----------
    handler
        A class with `open` (plain or a coroutine function) and `set_nodelay`.

    Returns
    -------
    bool
        False, and nothing is changed, where the class has not both. Calling it again changes
        nothing more.
    """
    opened = getattr(handler, "open", None)
    if opened is None or not callable(getattr(handler, "set_nodelay", None)):
        return False
    if getattr(opened, _MARK, False):
        return True

    if inspect.iscoroutinefunction(opened):

        @functools.wraps(opened)
        async def open_(self: Any, *args: Any, **kwargs: Any) -> Any:
            _set_nodelay(self)
            return await opened(self, *args, **kwargs)

    else:

        @functools.wraps(opened)
        def open_(self: Any, *args: Any, **kwargs: Any) -> Any:
            _set_nodelay(self)
            return opened(self, *args, **kwargs)

    setattr(open_, _MARK, True)
    handler.open = open_
    return True


def _set_nodelay(handler: Any) -> None:
    try:
        handler.set_nodelay(True)
    except Exception as error:  # a slow socket must never become a broken one
        _log_of(handler).debug("agentlens: TCP_NODELAY not set: %s", error)
    else:
        _log_of(handler).debug("agentlens: TCP_NODELAY set on a kernel websocket")


def _log_of(handler: Any) -> Any:
    import logging

    return getattr(handler, "log", None) or logging.getLogger("agentlens")


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Tell the Jupyter server where its extension is."""
    return [{"module": "agentlens.server"}]


def _load_jupyter_server_extension(app: Any) -> None:
    """Wrap the server's kernel websockets; where it has none that we know, say so once."""
    try:
        from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
    except ImportError:
        done = False
    else:
        done = send_at_once(KernelWebsocketHandler)
    if done:
        app.log.info("agentlens: kernel websockets send at once (TCP_NODELAY)")
    else:
        app.log.warning("agentlens: this Jupyter server's kernel websockets stay as they are")
