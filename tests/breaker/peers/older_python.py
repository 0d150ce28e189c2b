"""Let a package that is written for Python 3.12 be imported by 3.11: type parameters spelt out.

Only the spelling of generics is changed (`class A[T]`, `def f[T]`, `type X = ...`, quotes within
an f-string's braces); what a detector computes is as its package ships it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import re
import sys
import types
import typing
from collections.abc import Sequence

_ALIAS = re.compile(r"^type (\w+) =", re.MULTILINE)
_GENERIC = re.compile(
    r"^(\s*)(class|(?:async )?def) (\w+)\[([^\]]+)\](\(([^()]*)\))?", re.MULTILINE
)
_SPREAD = re.compile(r'(?<!")f"([^"\n]*\{\n[^"]*\}[^"\n]*)"(?!")')


class _Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data, path, *, _optimize=-1):  # type: ignore[no-untyped-def]
        source = data if isinstance(data, str) else bytes(data).decode()
        return super().source_to_code(respelt(source).encode(), path)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.split(".", maxsplit=1)[0] != self._package:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.origin and spec.origin.endswith(".py"):
            spec.loader = _Loader(name, spec.origin)
            spec.cached = None
        return spec


def respelt(source: str) -> str:
    """Return Python 3.12 source in the words of 3.11."""
    made: list[str] = []

    def generic(match: re.Match[str]) -> str:
        indent, kind, name, params, bases, inside = match.groups()
        names = []
        for param in params.split(","):
            spelt = param.partition(":")[0].strip()
            if spelt.startswith("**"):
                made.append(f'{spelt[2:]} = __import__("typing").ParamSpec("{spelt[2:]}")')
            else:
                made.append(f'{spelt} = __import__("typing").TypeVar("{spelt}")')
                names.append(spelt)
        if kind != "class":
            return f"{indent}{kind} {name}" + (bases or "")
        base = f'__import__("typing").Generic[{", ".join(names)}]'
        inside = f"{inside}, {base}" if inside else base
        return f"{indent}class {name}({inside})"

    source = _GENERIC.sub(generic, source)
    source = _ALIAS.sub(r"\1 =", source)
    source = _SPREAD.sub(r'f"""\1"""', source)
    head = re.search(r"^from __future__[^\n]*\n", source, re.MULTILINE)
    at = head.end() if head else 0
    if not head and made:
        docstring = re.match(r'\s*(?:"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\')\s*\n', source)
        at = docstring.end() if docstring else 0
    return source[:at] + "".join(f"{line}\n" for line in dict.fromkeys(made)) + source[at:]


def allow(package: str) -> None:
    """Import this package's modules in the older spelling; typing gets what 3.12 added to it."""
    if sys.version_info >= (3, 12):
        return
    import typing_extensions

    typing.override = typing_extensions.override  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _Finder(package))
