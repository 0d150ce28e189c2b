"""Many sessions, worst first; a click opens the Lens on one of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets as widgets
import traitlets

from agentlens.breaker.policy import Policy, as_policy
from agentlens.errors import TraceError
from agentlens.thresholds.scan import Row, scan_files
from agentlens.trace.load import load, load_many
from agentlens.trace.model import Trace
from agentlens.widgets.escape import safe
from agentlens.widgets.esm import join_modules, module_text
from agentlens.widgets.plain import one_line
from agentlens.widgets.scan.table import (
    HEAD,
    MOST,
    RIGHT,
    cells,
    headline,
    masked,
    root_of,
    scan_html,
    scan_lines,
)

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.trace.tools import ToolSpec
    from agentlens.widgets.lens.lens import Lens

__all__ = ["Scan", "SessionList", "scan"]


class SessionList(anywidget.AnyWidget):
    """A table in the browser; `selected` is the row that was opened, or -1."""

    _esm = join_modules(("keys", "dom", "sessions"))
    _css = module_text("sessions.css")
    head = traitlets.List(traitlets.Unicode()).tag(sync=True)
    right = traitlets.List(traitlets.Unicode()).tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
    words = traitlets.Dict({"filter": "filter"}).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)


class Scan(widgets.VBox):  # type: ignore[misc]
    """What a scan found: a table in a terminal or a page, a clickable one in a notebook.

    Parameters
    ----------
    rows
        Of `agentlens.thresholds.scan`, worst first.
    policy
        The policy that was replayed; the Lens opens with it.
    tools
        What tools do, as they were told to the scan.

    Attributes
    ----------
    rows
        The rows.
    lens
        The Lens on the session that was opened last, or None.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        policy: Policy | str | None = None,
        *,
        tools: Mapping[str, ToolSpec] | None = None,
    ) -> None:
        self.rows = tuple(rows)
        self.policy = as_policy(policy)
        self.lens: Lens | None = None
        self._tools = tools
        self._shown = masked(self.rows)
        root = root_of(self._shown)
        self.list = SessionList(
            head=list(HEAD),
            right=list(RIGHT),
            rows=[
                ["" if cell is None else one_line(str(cell)) for cell in cells(row, root)]
                for row in self._shown
            ],
        )
        self.message = widgets.HTML()
        title = widgets.HTML(f"<strong>{safe(headline(self.rows))}</strong>")
        self._parts = (title, self.list, self.message)
        super().__init__(self._parts, layout={"width": "100%"})
        self.list.observe(lambda change: self._chosen(change["new"]), "selected")

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a frame, one row a session; texts are the log's own."""
        import pandas as pd

        names = list(Row.__dataclass_fields__)
        frame = pd.DataFrame([row.to_dict() for row in self.rows], columns=names)
        whole = {"trip_round": "Int64", "request": "Int64", "saved_tokens": "Int64"}
        return frame.astype(whole)

    def show(self, index: int) -> Lens:
        """Open the Lens on a session, below the list.

        Raises
        ------
        IndexError
            If there is no such row.
        TraceError
            If the session cannot be read (any more).
        """
        from agentlens.widgets.lens.lens import Lens

        lens = Lens(_load_again(self.rows[index], self._tools), self.policy)
        if self.lens is not None:
            self.lens.close()
        self.lens, self.message.value = lens, ""
        self.children = (*self._parts, lens)
        self.list.selected = index
        return lens

    def _chosen(self, index: int) -> None:
        row = self.rows[index] if 0 <= index < len(self.rows) else None
        if row is None or (self.lens is not None and self.lens.trace.meta.source == row.source):
            return
        try:
            self.show(index)
        except (TraceError, OSError) as error:
            self.message.value = f'<span role="status">{safe(error)}</span>'

    def close(self) -> None:
        """Close the list and the Lens."""
        if self.lens is not None:
            self.lens.close()
        for part in self._parts:
            part.close()
        super().close()

    def __repr__(self) -> str:
        return "\n".join(scan_lines(self._shown, MOST))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        return {**bundle, "text/plain": repr(self), "text/html": scan_html(self._shown)}


def _load_again(row: Row, tools: Mapping[str, ToolSpec] | None) -> Trace:
    file, mark, _ = row.source.rpartition("#")
    if not mark or os.path.exists(row.source):  # noqa: PTH110 - may be a URL
        return load(row.source, tools=tools)
    for trace in load_many(file, tools=tools, progress=False):
        if trace.meta.source == row.source:
            return trace
    raise TraceError("is no longer in this file", source=row.source)


def scan(
    folder: Any,
    policy: Policy | str | None = None,
    *,
    tools: Mapping[str, ToolSpec] | None = None,
    progress: bool = True,
    workers: int | None = None,
) -> Scan:
    """Replay a policy over every session of a folder and list them, worst first.

    Parameters
    ----------
    folder
        What `agentlens.load_many` takes: a folder, a glob, a file of many, a list of these.
    policy
        The default policy where none is given.
    tools
        What tools do, as for `agentlens.load`.
    progress
        Show a progress bar where there are many files and someone to see it.
    workers
        Processes; default one a core where there are many files.

    Returns
    -------
    Scan
        Shown in a notebook, a click on a session opens the Lens on it.

    Raises
    ------
    TraceError
        If there is no such folder, or no log in it; files that cannot be read are rows.
    """
    rows = scan_files(folder, policy, tools=tools, progress=progress, workers=workers)
    return Scan(rows, policy, tools=tools)
