"""Every numbered requirement that is built has a test whose name carries its number."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
#: `test_r09_r14_...` tests two of them.
NUMBERS = re.compile(r"r(\d{2})(?=_)")
#: R1 to R51, all of which are built.
BUILT = range(1, 52)


def names() -> dict[str, Path]:
    """Return every test function, by name, with its file; nothing is imported."""
    return {
        node.name: path
        for path in sorted(TESTS.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def covered() -> dict[int, list[str]]:
    """Return for each number the tests that carry it at the beginning of their names."""
    found: dict[int, list[str]] = {}
    for name in names():
        head = re.match(r"test_((?:r\d{2}_)+)", name)
        for number in NUMBERS.findall(head[1]) if head else ():
            found.setdefault(int(number), []).append(name)
    return found


def test_every_requirement_has_a_test_of_its_name():
    found = covered()
    assert [f"R{number}" for number in BUILT if number not in found] == []


def test_no_test_carries_a_number_that_does_not_exist():
    assert set(covered()) <= set(BUILT)
