"""The stage's JavaScript modules, joined into the one ESM text that anywidget takes.

The modules are plain files that a browser could import as they are; joining strips their relative
imports and exports, so no build step and no bundler is needed.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from agentlens.figures.theme import css_variables

__all__ = ["MODULES", "join_modules", "module_text", "stage_css", "stage_esm"]

#: In the order in which they are joined: a module comes after those that it imports.
MODULES = tuple(
    "exact count data words dom lanes scale colours canvas bands draw marks gutter handles "
    "verdict map_columns map loader plot tip pointer theme keys print frame state stage".split()
)


_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\./[\w.]+";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def module_text(name: str) -> str:
    """Return a file of ``widgets/js`` as text."""
    return (resources.files("agentlens.widgets") / "js" / name).read_text("utf-8")


def join_modules(names: tuple[str, ...] = MODULES, *, keep_exports: bool = False) -> str:
    """Return modules as one text.

    Parameters
    ----------
    names
        Modules in order; each after those that it imports.
    keep_exports
        Keep their ``export`` keywords, so that a page can import single functions.
    """
    texts = [_IMPORT.sub("", module_text(f"{name}.js")) for name in names]
    if not keep_exports:
        texts = [_EXPORT.sub("", text) for text in texts]
    return "\n".join(texts)


@cache
def stage_esm() -> str:
    """Return the stage as one ES module with a default export."""
    return join_modules()


@cache
def stage_css() -> str:
    """Return the stage's styles, colours included."""
    return css_variables() + module_text("stage.css")
