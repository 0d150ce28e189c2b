"""The hostile corpus: every input with a name; the same seed gives the same bytes again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from tests.hostile.containers import archives, databases, documents, pickles
from tests.hostile.payloads import INVISIBLE, MARKUP, PATTERNS

__all__ = ["inputs", "run_of"]


def run_of(texts: list[str], repeat: int = 1) -> list[dict[str, Any]]:
    """Return a run in the plain format that holds texts wherever a run holds text."""
    made = []
    for n, text in enumerate(texts * repeat, 1):
        made.append(
            {
                "round": n, "tool": "web_search", "args": {"query": text, text[:50]: [text]},
                "result": text, "thought": text, "text": text, "error": n % 5 == 0,
            }
        )  # fmt: skip
        made.append({"round": n, "tool": text[:80] or "x", "args": text, "result": {text: text}})
    return made


def _lines(values: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def _filled(value: Any, dice: random.Random, texts: tuple[str, ...], chance: float) -> Any:
    """Return a log with some of its texts replaced, what its reader looks for mostly kept."""
    if isinstance(value, dict):
        return {k: _filled(v, dice, texts, chance) for k, v in value.items()}
    if isinstance(value, list):
        return [_filled(v, dice, texts, chance) for v in value]
    if isinstance(value, str) and dice.random() < chance:
        return dice.choice(texts) if dice.random() < 0.5 else value + dice.choice(texts)
    return value


def inputs(seed: int, owned: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each input.

    Parameters
    ----------
    seed
        Other seeds fill the logs of other formats with other texts.
    owned
        A file that appears where one of the pickles is unpickled.
    """
    from tests.trace.fuzz.corpus import seeds

    dice = random.Random(seed)
    for n, text in enumerate(MARKUP):
        yield f"markup-{n}.jsonl", _lines(run_of([text], 4))
    for n, text in enumerate(INVISIBLE):
        yield f"invisible-{n}.jsonl", _lines(run_of([text], 4))
    for n, text in enumerate(PATTERNS):
        yield f"pattern-{n}.jsonl", _lines(run_of([text[:60_000]]))
    every = (*MARKUP, *INVISIBLE)
    for name, found in sorted(seeds().items()):
        logs = [one for one in found if one.value is not None and len(one.data) < 300_000]
        for n, log in enumerate(dice.sample(logs, min(2, len(logs)))):
            value = _filled(log.value, dice, every, 0.3)
            if log.lines:
                yield f"{name}-{n}.jsonl", _lines(value)
            else:
                yield f"{name}-{n}.json", json.dumps(value).encode()
    yield from archives()
    yield from databases()
    yield from pickles(owned)
    yield from documents()
