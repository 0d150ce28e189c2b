"""A growing table, kept row by row while a log is read and turned into columns at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.columns import COLUMNS

__all__ = ["PLACES", "Table"]

#: Place of each column within a row.
PLACES: Mapping[str, Mapping[str, int]] = {
    table: {column: place for place, column in enumerate(columns)}
    for table, columns in COLUMNS.items()
}

#: What a new row holds where a reader says nothing.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "rounds": {"text": "", "reasoning": "", "copied": False, "injected": False, "hidden": False},
    "calls": {"status": "missing", "result": "", "truncated": False, "parts": ()},
}
_NOTHING: Mapping[str, Any] = {}


class Table:
    """Rows of one of the trace's tables.

    Parameters
    ----------
    name
        A key of `COLUMNS`.

    Attributes
    ----------
    at : dict
        Position of each column within a row.
    rows : list of list
    """

    __slots__ = ("_blank", "at", "name", "rows")

    def __init__(self, name: str):
        defaults = _DEFAULTS.get(name, {})
        self.name = name
        self.at = PLACES[name]
        self.rows: list[list[Any]] = []
        self._blank = [defaults.get(column) for column in COLUMNS[name]]

    def add(self, first: tuple[Any, ...], values: Mapping[str, Any] = _NOTHING) -> int:
        """Append a row and return its number.

        Parameters
        ----------
        first
            Cells of the first columns, in the order of `COLUMNS`.
        values
            Other cells by their column; what neither has keeps its default.

        Raises
        ------
        KeyError
            If the table has no such column.
        """
        row = self._blank.copy()
        row[: len(first)] = first
        at = self.at
        try:
            for column, value in values.items():
                row[at[column]] = value
        except KeyError:
            raise KeyError(
                f"{self.name} has no column {sorted(values.keys() - at.keys())}"
            ) from None
        rows = self.rows
        rows.append(row)
        return len(rows) - 1

    def get(self, row: int, column: str) -> Any:
        """Return one cell."""
        return self.rows[row][self.at[column]]

    def set(self, row: int, values: Mapping[str, Any]) -> None:
        """Overwrite cells of one row."""
        cells, at = self.rows[row], self.at
        for column, value in values.items():
            cells[at[column]] = value

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns; the rows are given up."""
        rows, self.rows = self.rows, []
        if not rows:
            return {column: [] for column in self.at}
        return {
            column: list(cells)
            for column, cells in zip(self.at, zip(*rows, strict=True), strict=True)
        }
