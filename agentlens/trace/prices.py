"""What rounds cost, by a price table that the user gives; a cost that a log tells stays.

A price that is not given stays missing, and with it the cost of each round that needs it: half a
cost looks like a cheap round.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlens.errors import TraceError
from agentlens.trace.model import Note

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["Price", "PriceTable", "cost_of", "price_table", "priced"]


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars for a million tokens; None where it was not said.

    Parameters
    ----------
    input
        Prompt tokens that no cache gave.
    output
        Answer tokens, reasoning included.
    cached
        Prompt tokens read from a cache.
    cache_write
        Prompt tokens written to a cache.
    """

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    cache_write: float | None = None


_NAMES = tuple(field.name for field in fields(Price))


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model; a name may be a pattern such as ``gpt-4o*``.

    Parameters
    ----------
    prices
        By name, or by pattern.
    """

    prices: Mapping[str, Price]

    def of(self, model: str | None) -> Price | None:
        """Return the price of a model: by its name, else by the longest pattern that fits."""
        if model is None:
            return None
        found = self.prices.get(model)
        if found is None:
            fits = [name for name in self.prices if "*" in name and fnmatchcase(model, name)]
            found = self.prices[max(fits, key=len)] if fits else None
        return found


def price_table(prices: Any) -> PriceTable:
    """Return a price table from what a user gives.

    Parameters
    ----------
    prices
        ``{"model": {"input": 3.0, "output": 15.0, "cached": 0.3, "cache_write": 3.75}}`` in US
        dollars for a million tokens, each of them optional; or a TOML or JSON file that holds it.

    Raises
    ------
    TraceError
        If it is none of these; the message names the model and the key.
    """
    if isinstance(prices, PriceTable):
        return prices
    source = None
    if isinstance(prices, str | os.PathLike):
        source = str(prices)
        prices = _file(Path(prices).expanduser(), source)
    if not isinstance(prices, Mapping):
        raise TraceError(
            "prices must be a mapping such as {'model': {'input': 3.0, 'output': 15.0}}, or a file "
            f"that holds one, not a {type(prices).__name__}", source=source,
        )  # fmt: skip
    return PriceTable({str(m): _price(str(m), given, source) for m, given in prices.items()})


def _file(path: Path, source: str) -> Any:
    try:
        text = path.read_text("utf-8")
        return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise TraceError(f"cannot open: {error.strerror}", source=source) from None
    except ValueError as error:
        said = " ".join(str(error).split())
        raise TraceError(f"is no table of prices: {said}", source=source) from None


def _price(model: str, given: Any, source: str | None) -> Price:
    if not isinstance(given, Mapping):
        raise TraceError(
            f"prices of {model!r:.60}: expected {{'input': …, 'output': …}}", source=source
        )
    for name, value in given.items():
        if name not in _NAMES:
            raise TraceError(
                f"prices of {model!r:.60}: {name!r:.40} is none of {', '.join(_NAMES)}",
                source=source,
            )
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and math.isfinite(value) and value >= 0):
            raise TraceError(
                f"prices of {model!r:.60}: {name!r} must be US dollars for a million tokens, "
                f"not {value!r:.40}", source=source,
            )  # fmt: skip
    return Price(**given)


def cost_of(
    price: Price, prompt: int, answer: int, cached: int | None = None, written: int | None = None
) -> float | None:
    """Return what a round costs in US dollars, or None where a price that it needs is missing.

    Parameters
    ----------
    prompt
        All prompt tokens, cached ones included.
    answer
        Answer tokens.
    cached, written
        Of the prompt tokens, those read from and written to a cache.

    Examples
    --------
    >>> cost_of(Price(input=3.0, output=15.0, cached=0.3), 1_000_000, 100_000, cached=500_000)
    3.15
    """
    cached, written = cached or 0, written or 0
    plain = prompt - cached - written
    if plain < 0:  # the log contradicts itself
        return None
    parts = (
        (plain, price.input), (answer, price.output), (cached, price.cached),
        (written, price.cache_write),
    )  # fmt: skip
    if any(tokens and dollars is None for tokens, dollars in parts):
        return None
    return math.fsum(tokens * (dollars or 0.0) for tokens, dollars in parts) / 1e6


def priced(trace: Trace, prices: Any) -> Trace:
    """Return the trace with costs where the log tells none; see `Trace.with_prices`."""
    table = price_table(prices)
    rounds = trace.tables["rounds"]
    only = trace.meta.models[0] if len(trace.meta.models) == 1 else None
    costs = list(rounds["cost"])
    notes: Counter[str] = Counter()
    for row, cost in enumerate(costs):
        prompt, answer = rounds["input_tokens"][row], rounds["output_tokens"][row]
        if cost is not None or (prompt is None and answer is None):
            continue
        model = rounds["model"][row] or only
        price = table.of(model)
        if price is None:
            named = f"{model!r:.80}" if model else "that the log leaves unnamed"
            notes[f"no cost: the price table lacks the model {named}"] += 1
        elif prompt is None or answer is None:
            notes["no cost: the log tells prompt or answer tokens only"] += 1
        else:
            costs[row] = cost_of(
                price, prompt, answer, rounds["cached_tokens"][row],
                rounds["cache_write_tokens"][row],
            )  # fmt: skip
            said = "cost by the price table" if costs[row] is not None else (
                f"no cost: a price of the model {model!r:.80} is missing"
            )  # fmt: skip
            notes[said] += 1
    tables = {**trace.tables, "rounds": {**rounds, "cost": costs}}
    told = tuple(Note("info", message, count=count) for message, count in notes.items())
    return replace(trace, tables=tables, notes=(*trace.notes, *told))
