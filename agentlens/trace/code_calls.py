"""Calls of tools inside code that an agent wrote: found in its syntax tree, never executed."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any

__all__ = ["calls_in"]

_BUILTINS = frozenset(dir(builtins))
#: Longer code is not parsed, and of one loop or one piece of code so many calls are listed.
_MAX_CODE, _MAX_CALLS = 50_000, 200


def calls_in(code: str) -> list[tuple[str, dict[str, Any]]] | None:
    r"""Return ``(name, arguments)`` of the calls by a plain name that the code does not define.

    Parameters
    ----------
    code
        Python, as the agent wrote it. Builtins, methods, and what the code itself defines or
        imports are left out. A name that is set once to a constant stands for it; in a loop over
        constants each of them does; any other argument is given as its source text. Arguments by
        position are called ``arg1``, ``arg2`` …

    Returns
    -------
    list or None
        None where the code is not Python.

    Examples
    --------
    >>> calls_in('q = "rain"\nprint(web_search(q, limit=3))')
    [('web_search', {'arg1': 'rain', 'limit': 3})]
    """
    if len(code) > _MAX_CODE:
        return None
    try:
        with warnings.catch_warnings():  # the agent's code may hold invalid escapes
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
        own = _defined(tree)
        constants = _constants(tree)
        return list(islice(_walk(tree, own, constants), _MAX_CALLS))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defined(tree: ast.AST) -> set[str]:
    """Return the names that the code defines or imports (not those that it assigns)."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
    return names


def _constants(tree: ast.AST) -> dict[str, list[Any]]:
    """Return names that hold a constant: set exactly once, or by a loop over constants."""
    found: dict[str, list[Any]] = {}
    times: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            times[node.id] = times.get(node.id, 0) + 1
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], _literal(node.value)
            if isinstance(target, ast.Name) and value is not _UNKNOWN:
                found[target.id] = [value]
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            values = _literal(node.iter)
            if values is _UNKNOWN and isinstance(node.iter, ast.Name):
                (values,) = found.get(node.iter.id, [_UNKNOWN]) or [_UNKNOWN]
            if isinstance(values, list | tuple) and 0 < len(values) <= _MAX_CALLS:
                found[node.target.id] = list(values)
    return {name: values for name, values in found.items() if times.get(name) == 1}


_UNKNOWN = object()


def _literal(node: ast.AST) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _walk(
    node: ast.AST, own: set[str], constants: dict[str, list[Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls in the order in which they stand, inner ones first, as they are executed."""
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, own, constants)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return
    name = node.func.id
    if name in own or name in _BUILTINS:
        return
    yield from ((name, args) for args in _arguments(node, constants))


def _arguments(node: ast.Call, constants: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    given = [(f"arg{place}", value) for place, value in enumerate(node.args, 1)]
    given += [(keyword.arg or "**", keyword.value) for keyword in node.keywords]
    many: dict[str, list[Any]] = {}
    for key, value in given:
        literal = _literal(value)
        if literal is not _UNKNOWN:
            many[key] = [_plain(literal)]
        elif isinstance(value, ast.Name) and value.id in constants:
            many[key] = [_plain(each) for each in constants[value.id]]
        else:
            many[key] = [ast.unparse(value)[:2000]]
    for turn in range(max((len(values) for values in many.values()), default=1)):
        yield {key: values[turn % len(values)] for key, values in many.items()}


def _plain(value: Any) -> Any:
    """Return a literal as JSON can hold it."""
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return repr(value)
