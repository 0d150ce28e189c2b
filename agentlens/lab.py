"""`agentlens lab`: a ready notebook for a trace, and JupyterLab open on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agentlens.errors import TraceError

__all__ = ["data_folder", "lab_command", "notebook_for", "open_lab"]

STORY = "01_post_mortem.ipynb"
_PACKAGE = Path(__file__).resolve().parent
#: Our part of Jupyter's configuration: the server extension on, the news question off.
CONFIG = _PACKAGE / "_jupyter"


def data_folder(name: str) -> Path:
    """Return a folder that is shipped beside the code: `notebooks` or `sample_traces`.

    In a checkout it lies beside the package, in an installed wheel within it.

    Raises
    ------
    FileNotFoundError
        If the installation is damaged.
    """
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(2, "is missing from this installation", name)


def notebook_for(trace: str | None, folder: Path) -> Path:
    """Write a notebook for a trace and return its path.

    Parameters
    ----------
    trace
        A log, or a folder or file of many; without one, the story of the incident.
    folder
        Where it goes; made where it is missing. A notebook there is never overwritten: one with
        the same cells is opened as it is, with its outputs; one that was changed stays, and the
        new one gets another name.

    Raises
    ------
    TraceError
        If the trace cannot be read: better said here than in a browser.
    OSError
        If the folder cannot be written.
    """
    if trace is None:
        name, notebook = STORY, json.loads((data_folder("notebooks") / STORY).read_text("utf-8"))
    else:
        path = trace if "://" in trace else str(Path(trace).expanduser().resolve())
        many = _holds_many(path)
        stem = Path(path.rstrip("/")).name.split(".")[0] or "trace"
        name, notebook = f"{stem}.ipynb", _notebook(_scan_cells(path) if many else _cells(path))
    folder.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        target = folder / (name if number == 1 else f"{Path(name).stem}-{number}.ipynb")
        if not target.exists():
            target.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")
            return target
        if _sources(target) == _sources(notebook):
            return target
    raise AssertionError  # the loop only ends by returning


def _holds_many(path: str) -> bool:
    from agentlens.trace.load import load, load_many

    try:
        load(path)
    except TraceError:
        try:
            if next(iter(load_many(path, progress=False)), None) is not None:
                return True
        except TraceError:
            pass
        raise
    return False


def _sources(notebook: Path | dict[str, Any]) -> list[tuple[str, str]] | None:
    try:
        made = json.loads(notebook.read_text("utf-8")) if isinstance(notebook, Path) else notebook
        return [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # damaged: not ours to touch


def _cells(path: str) -> list[tuple[str, str]]:
    name = Path(path).name.replace("`", "'")
    return [
        ("markdown", f"# Post-mortem of `{name}`\n\nRun all cells: *Run → Run All Cells*."),
        ("code", f"import agentlens as al\n\ntrace = al.load({path!r})\ntrace"),
        (
            "markdown",
            "Drag the two lines, or move them with the arrow keys: the trip moves with them. "
            "A click on a round shows what it searched for and what it repeats.",
        ),
        ("code", "lens = al.Lens(trace, 'classic')\nlens"),
        ("markdown", "The same as a table, and the policy that you have set, as a file."),
        ("code", "lens.to_frame()"),
        ("code", "print(lens.policy.to_toml())"),
    ]


def _scan_cells(path: str) -> list[tuple[str, str]]:
    name = Path(path).name.replace("`", "'")
    return [
        ("markdown", f"# Sessions in `{name}`\n\nWorst first; a click on one opens it below."),
        ("code", f"import agentlens as al\n\nsessions = al.scan({path!r})\nsessions"),
        ("markdown", "The same as a table."),
        ("code", "sessions.to_frame()"),
    ]


def _notebook(cells: Sequence[tuple[str, str]]) -> dict[str, Any]:
    made = []
    for number, (kind, source) in enumerate(cells):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"agentlens-{number}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append(cell)
    return {
        "cells": made,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def lab_command(
    notebook: Path, *, port: int | None, browser: bool, extra: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Return the command that opens JupyterLab on a notebook, and its environment."""
    notebook = notebook.resolve()
    root = Path.cwd() if notebook.is_relative_to(Path.cwd()) else notebook.parent
    place = quote(notebook.relative_to(root).as_posix())
    command = [
        sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{place}",
    ]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    if port is not None:
        command.append(f"--port={port}")
    if not browser:
        command.append("--no-browser")
    paths = [str(CONFIG), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return [*command, *extra], {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def open_lab(
    notebook: Path, *, port: int | None = None, browser: bool = True, extra: Sequence[str] = ()
) -> int:
    """Run JupyterLab on a notebook until it is stopped."""
    command, environment = lab_command(notebook, port=port, browser=browser, extra=extra)
    print(f"{notebook}", file=sys.stderr, flush=True)
    if os.name == "posix":  # become the server, so that signals and the terminal are its own
        os.execve(command[0], command, environment)  # noqa: S606
    return subprocess.call(command, env=environment)  # noqa: S603
