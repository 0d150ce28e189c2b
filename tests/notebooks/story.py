"""A notebook after it has run: what it printed, what it shows, how large it is saved."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import nbclient
import nbformat

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


class Story:
    """One notebook, run from top to bottom in a folder of its own.

    Parameters
    ----------
    name
        Of the file, without its ending.
    folder
        Where it runs; what it saves goes there.
    """

    def __init__(self, name: str, folder: Path):
        (path,) = (path for path in NOTEBOOKS if path.stem == name)
        self.notebook = nbformat.read(path, as_version=4)
        resources = {"metadata": {"path": str(folder)}}
        nbclient.NotebookClient(self.notebook, timeout=600, resources=resources).execute()
        self._outputs = [o for cell in self.notebook.cells for o in cell.get("outputs", ())]

    def stream(self, name: str = "stdout") -> str:
        """Return what was printed, or complained of in ``stderr``."""
        return "".join(o["text"] for o in self._outputs if o.get("name") == name)

    def shown(self, kind: str) -> list[str]:
        """Return what cells show of one MIME type, in order."""
        return ["".join(o["data"][kind]) for o in self._outputs if kind in o.get("data", {})]

    def size(self) -> int:
        """Return the bytes of the notebook as saved, without widget state.

        JupyterLab saves that state unless told otherwise.
        """
        saved = deepcopy(self.notebook)
        saved.metadata.pop("widgets", None)
        return len(nbformat.writes(saved).encode())
