"""Best earlier match of every query, beside plain sets, a sparse product and a set search.

Random token sets of 3 to 15 tokens, half of them single Chinese characters, both vocabularies
Zipf 1.05: hard cases, because common characters make almost every pair share something. Every
method runs in a process of its own, so that peak memory is its own; seconds are CPU time (all
methods use one thread) from Python sets to arrays, without imports. Answers are compared by a
hash of all scores and positions.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

Answer = tuple[np.ndarray, np.ndarray, np.ndarray]
OURS, OURS_JACCARD = "agentlens", "agentlens, jaccard >= 0.5"


def zipf_sets(n: int, seed: int = 20261130) -> list[frozenset[str]]:
    """Return n random token sets: 3,000 characters and 20,000 words, half and half."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 16, n)
    draws = int(sizes.sum()) * 3

    def ranks(vocabulary: int) -> Any:
        weights = np.cumsum(1 / np.arange(1, vocabulary + 1) ** 1.05)
        return iter(np.searchsorted(weights / weights[-1], rng.random(draws)).tolist())

    characters, words, coins = ranks(3000), ranks(20_000), iter(rng.integers(0, 2, draws).tolist())
    sets = []
    for size in sizes.tolist():
        tokens: set[str] = set()
        while len(tokens) < size:
            tokens.add(chr(0x4E00 + next(characters)) if next(coins) else f"w{next(words)}")
        sets.append(frozenset(tokens))
    return sets


def agentlens(sets: list[frozenset[str]], measure: str = "containment") -> Answer:
    from agentlens.progress.similarity import best_earlier

    found = best_earlier(sets, measure=measure)
    return found.num, found.den, found.index


def agentlens_jaccard(sets: list[frozenset[str]]) -> Answer:
    from agentlens.progress.similarity import at_least

    num, den, index = agentlens(sets, "jaccard")
    kept = at_least(num, den, Fraction(1, 2), "jaccard")
    return np.where(kept, num, 0), np.where(kept, den, 1), np.where(kept, index, -1)


def plain_sets(sets: list[frozenset[str]]) -> Answer:
    """Compare every pair with Python's own set intersection, the latest first."""
    rows = []
    for i, a in enumerate(sets):
        num, den, index = 0, 1, -1
        for j in range(i - 1, -1, -1):
            shared = len(a & sets[j])
            smaller = min(len(a), len(sets[j]))
            if shared * den > num * smaller:
                num, den, index = shared, smaller, j
                if num == den:
                    break
        rows.append((num, den, index))
    return tuple(np.array(rows).T)  # type: ignore[return-value]


def sparse_product(sets: list[frozenset[str]], block: int = 256) -> Answer:
    """Multiply the incidence matrix with its transpose, a block of rows at a time."""
    from scipy.sparse import csr_matrix

    numbers: dict[str, int] = {}
    sizes = np.array([len(s) for s in sets])
    tokens = np.array([numbers.setdefault(t, len(numbers)) for s in sets for t in s], np.int32)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    ones = np.ones(len(tokens), np.int32)
    matrix = csr_matrix((ones, tokens, offsets), shape=(len(sets), len(numbers)))
    num, den = np.zeros(len(sets), np.int64), np.ones(len(sets), np.int64)
    index = np.full(len(sets), -1, np.int64)
    width, transposed = 0, None
    for begin in range(0, len(sets), block):
        end = min(begin + block, len(sets))
        if end > width:  # later columns are of no use yet; eight steps keep the waste small
            width = min(end + len(sets) // 8, len(sets))
            transposed = matrix[:width].T.tocsr()
        product = matrix[begin:end] @ transposed
        row = np.repeat(np.arange(begin, end), np.diff(product.indptr))
        earlier = product.indices < row
        row, column, shared = row[earlier], product.indices[earlier], product.data[earlier]
        if not len(row):
            continue
        smaller = np.minimum(sizes[row], sizes[column])
        key = shared / smaller
        edges = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        lengths = np.diff(np.append(edges, len(row)))
        best = key == np.repeat(np.maximum.reduceat(key, edges), lengths)
        latest = np.maximum.reduceat(np.where(best, column, -1), edges)
        winner = np.flatnonzero(best & (column == np.repeat(latest, lengths)))
        index[row[edges]] = latest
        num[row[edges]], den[row[edges]] = shared[winner], smaller[winner]
    return num, den, index


def set_similarity_search(sets: list[frozenset[str]]) -> Answer:
    """Take the best of all pairs that its prefix filter finds; jaccard, at least 0.5."""
    from SetSimilaritySearch import all_pairs

    best = [(0.0, -1)] * len(sets)
    for later, earlier, value in all_pairs(sets, "jaccard", 0.5):
        best[later] = max(best[later], (value, int(earlier)))
    num, den = np.zeros(len(sets), np.int64), np.ones(len(sets), np.int64)
    index = np.array([j for _, j in best])
    for i, (_, j) in enumerate(best):
        if j >= 0:
            num[i], den[i] = len(sets[i] & sets[j]), len(sets[i] | sets[j])
    return num, den, index


def nothing(sets: list[frozenset[str]]) -> Answer:
    return (np.zeros(len(sets), np.int64),) * 3


METHODS: dict[str, Callable[[list[frozenset[str]]], Answer]] = {
    "the sets alone": nothing,
    OURS: agentlens,
    "plain Python sets": plain_sets,
    "scipy sparse product, blocked": sparse_product,
    OURS_JACCARD: agentlens_jaccard,
    "SetSimilaritySearch, jaccard >= 0.5": set_similarity_search,
}
IMPORTS = {
    "scipy": "scipy.sparse",
    "SetSim": "SetSimilaritySearch",
    "agentlens": "agentlens.progress.similarity",
}


def measure(method: str, n: int) -> dict[str, Any]:
    """Run one method here and return seconds, peak memory and the hash of its answer."""
    for start, module in IMPORTS.items():
        if method.startswith(start):
            importlib.import_module(module)
    sets = zipf_sets(n)
    seconds = []
    # The fastest of three where they are short: the machine may be busy with other things.
    while not seconds or (sum(seconds) < 20 and len(seconds) < 3):
        started = time.process_time()
        answer = METHODS[method](sets)
        seconds.append(time.process_time() - started)
    joined = b"".join(np.asarray(column, dtype="<i8").tobytes() for column in answer)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "seconds": min(seconds),
        "peak_mb": round(peak),
        "hash": hashlib.sha256(joined).hexdigest()[:12],
    }


def _apart(method: str, n: int, timeout: float) -> dict[str, Any] | None:
    """Measure in a process of its own; None if it takes too long."""
    command = [sys.executable, "-m", "benchmarks.matching", "--method", method, "--n", str(n)]
    root = Path(__file__).resolve().parents[1]
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return None
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row for each method and size: method, n, seconds, peak_mb, note."""
    small, large = (1_000, 10_000) if quick else (10_000, 100_000)
    timeout = 120 if quick else 300
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, int], dict[str, Any]] = {}
    for method in METHODS:
        for n in (small, large):
            if method == "plain Python sets" and n > 10_000:
                continue
            result = _apart(method, n, timeout)
            row = {"method": method, "n": n, "seconds": None, "peak_mb": None}
            if result is None:
                rows.append({**row, "note": f"stopped after {timeout} s"})
                continue
            seen[method, n] = result
            row |= {"seconds": result["seconds"], "peak_mb": result["peak_mb"]}
            rows.append({**row, "note": _note(method, n, small, seen)})
    return rows


def _note(method: str, n: int, small: int, seen: dict[tuple[str, int], dict[str, Any]]) -> str:
    """Say how it grew, whether the answer is the same, and how much faster ours is."""
    if method == "the sets alone":
        return ""
    this, notes = seen[method, n], []
    if n > small and (method, small) in seen:
        notes.append(f"x{this['seconds'] / seen[method, small]['seconds']:.0f} for x{n // small}")
    ours = seen.get((OURS_JACCARD if method.endswith("0.5") else OURS, n))
    if ours and ours is not this:
        same = "same answers" if ours["hash"] == this["hash"] else "OTHER ANSWERS"
        notes.append(f"{same}; agentlens is {this['seconds'] / ours['seconds']:.1f} times as fast")
    return "; ".join(notes)


def main() -> None:
    """Measure one method, or print the table of all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", choices=list(METHODS))
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.method:
        print(json.dumps(measure(options.method, options.n)))
    else:
        from benchmarks.__main__ import machine, table

        print(machine())
        print(table(run(options.quick)))


if __name__ == "__main__":
    main()
