"""Which files a folder, a glob or a list stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentlens.errors import TraceError
from agentlens.trace.child_files import is_child_folder, rollouts_below
from agentlens.trace.file_trees import STATE, is_tree, tree_document

__all__ = ["expand", "session_file"]

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".traj", ".db", ".eval", ".parquet",
             ".json.gz", ".jsonl.gz", ".ndjson.gz")  # fmt: skip
#: Files beside logs that hold no run.
_ASIDE = (".meta.json",)
_GLOB = frozenset("*?[")


def expand(source: Any) -> tuple[list[Any], bool]:
    """Return the sources that `source` stands for, and whether it is a single one.

    Raises
    ------
    TraceError
        If a path does not exist, a folder or a pattern holds no log, or it is nothing to read.
    """
    if isinstance(source, str | os.PathLike):
        return _paths(os.fspath(source))
    if isinstance(source, Iterable) and not _is_one(source):
        items = list(source)
        if items and all(isinstance(item, Mapping | list) for item in items):
            return [items], True
        found = []
        for item in items:
            if isinstance(item, str | os.PathLike):
                try:
                    found.extend(_paths(os.fspath(item))[0])
                except TraceError:
                    found.append(item)  # named among the failures when it is opened
            else:
                found.append(item)
        return found, False
    if not _is_one(source):
        raise TraceError(
            f"cannot load a {type(source).__name__}; expected a path, a folder, a glob, a URL, a "
            "file object, a DataFrame or a list of these"
        )
    return [source], True


def _is_one(source: Any) -> bool:
    return isinstance(source, Mapping) or hasattr(source, "read") or hasattr(source, "columns")


def _paths(text: str) -> tuple[list[Any], bool]:
    if text.startswith("mlflow:"):
        return [text], True
    if not text:
        raise TraceError("the name of the log is empty")
    if "://" in text and not text.startswith("file://"):
        return _remote(text)
    text = os.path.expanduser(text.removeprefix("file://"))  # noqa: PTH111 - patterns are no paths
    path = Path(text)
    if path.is_dir():
        files = _walk(path)
        if not files:
            raise TraceError(f"the folder holds no log ({', '.join(_SUFFIXES[:4])})", source=text)
        return files, False
    if path.exists():
        return [text], True
    if _GLOB & set(text):
        found = sorted(glob.glob(text, recursive=True))  # noqa: PTH207
        if not found:
            raise TraceError("no file matches the pattern", source=text)
        files = []
        for name in found:
            files.extend(_walk(Path(name)) if Path(name).is_dir() else [name])
        return files, False
    raise TraceError("no such file or folder", source=text)


def _remote(text: str) -> tuple[list[Any], bool]:
    import fsspec

    try:
        if not _GLOB & set(text):
            return _remote_folder(text)
        files = fsspec.open_files(text, "rb")
        found = [_address(file.fs, file.path, text) for file in files]
    except TraceError:
        raise
    except (OSError, ValueError, ImportError) as error:
        raise TraceError(f"cannot list: {error}".splitlines()[0], source=text) from None
    if not found:
        raise TraceError("no file matches the pattern", source=text)
    return found, False


def _remote_folder(text: str) -> tuple[list[Any], bool]:
    """Return the logs below an address that is a folder; else the address itself."""
    if text.lower().startswith(("http://", "https://")) or "://" not in text.partition("::")[0]:
        return [text], True  # has no folders, or says how one file is read: simplecache::…
    from fsspec.core import url_to_fs

    files, path = url_to_fs(text)
    if not files.isdir(path):
        return [text], True
    found = sorted(name for name in files.find(path) if _is_log(name.rpartition("/")[2]))
    if not found:
        raise TraceError(f"the folder holds no log ({', '.join(_SUFFIXES[:4])})", source=text)
    return [_address(files, name, text) for name in found], False


def _address(files: Any, name: str, text: str) -> str:
    """Return the address of a file that was found below `text`, inside the same archive."""
    return str(files.unstrip_protocol(name)) + "".join(text.partition("::")[1:])


def _is_log(name: str) -> bool:
    return name.endswith(_SUFFIXES) and not name.endswith(_ASIDE) and not name.startswith(".")


def _walk(folder: Path) -> list[str]:
    """Return the logs below a folder; sub-agents' files belong to their session's and are left."""
    found: list[str] = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(d for d in folders if not d.startswith("."))
        here = Path(where)
        if here.name == "subagents" and here.parent.with_suffix(".jsonl").exists():
            folders[:] = []
            continue
        if is_child_folder(here):
            folders[:] = []
            continue
        if is_tree(here, folders, names):
            folders[:] = []
            found.append(str(here))
            continue
        told = rollouts_below(here, names)
        if "api_conversation_history.json" in names:
            told.add("ui_messages.json")  # the same task as its screen showed it
        if "events" in folders:
            told.add(STATE)  # read with the events that it is the state of
        found += [
            str(here / name) for name in sorted(names)
            if _is_log(name) and name not in told
        ]  # fmt: skip
    return found


def session_file(source: Any) -> Path:
    """Return the log of the one session that a folder holds.

    That is ``x.jsonl`` beside Claude Code's folder ``x`` itself, or the only log in it;
    ``events.jsonl``; or the folder, where it keeps a file for each event.

    Raises
    ------
    TraceError
        If the folder is not that of one session.
    """
    folder = Path(source).expanduser()
    beside = folder.parent / f"{folder.name}.jsonl"
    if beside.is_file() and (folder / "subagents").is_dir():
        return beside
    if (folder / "events.jsonl").is_file():  # Copilot CLI's folder of a session
        return folder / "events.jsonl"
    if tree_document(folder) is not None:
        return folder
    logs = sorted(folder.glob("*.jsonl"))
    if len(logs) == 1 and (folder / logs[0].stem / "subagents").is_dir():
        return logs[0]
    raise TraceError(
        "is a folder; use agentlens.load_many to read all logs in it", source=str(source)
    )
