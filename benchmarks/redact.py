"""Secrets masked and ordinary strings touched, beside detect-secrets on the same texts.

A secret counts as masked where no eight characters of it in a row are left. detect-secrets reports
findings; they are replaced in the text as ours are. It is counted as found where any finding
touches the secret, so that what it reports only in part is seen too.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.ordinary import ordinary
from benchmarks.planted import left_of, planted

__all__ = ["SEED", "measure", "run"]

SEED = 20261130
#: Takes a text and returns it masked, with what was found in it.
Masker = Callable[[str], tuple[str, list[str]]]


def measure(mask: Masker, secrets: int, strings: int, seed: int = SEED) -> dict[str, Any]:
    """Return how many planted secrets a masker masks, and how many ordinary strings it touches."""
    kinds: set[str] = set()
    missed: Counter[str] = Counter()
    found = masked = 0
    started = time.process_time()
    size = 0
    for one in planted(secrets, seed):
        text, values = mask(one.text)
        size += len(one.text)
        kinds.add(one.kind)
        if left_of(one, text):
            missed[f"{one.kind}, {one.shape}"] += 1
        else:
            masked += 1
        found += text != one.text and (
            not left_of(one, text) or any(v in one.secret or one.secret in v for v in values)
        )
    touched: Counter[str] = Counter()
    for name, line in ordinary(strings, seed):
        size += len(line)
        if mask(line)[0] != line:
            touched[name] += 1
    spent = time.process_time() - started
    return {
        "kinds": len(kinds),
        "secrets": secrets,
        "masked": masked,
        "found": found,
        "strings": strings,
        "touched": touched.total(),
        "MB a second": size / spent / 1e6,
        "missed": missed,
        "touched kinds": touched,
    }


def ours() -> Masker:
    """Return our own masker, a new one for each text."""
    from agentlens.trace.redact import redact

    return lambda text: (redact(text), [])


def _detect_secrets(folder: Path, as_file: bool) -> Masker:
    """Return a masker by its findings, all plugins and default filters, as it scans files or lines.

    In a line given by hand it looks for random strings outside quotation marks too.
    """
    scan: Any = import_module("detect_secrets.core.scan")
    settings: Any = import_module("detect_secrets.settings")
    path = folder / "text.txt"

    def mask(text: str) -> tuple[str, list[str]]:
        path.write_text(text, "utf-8")
        lines = text.splitlines()
        findings = scan.scan_file(str(path)) if as_file else chain(*map(scan.scan_line, lines))
        with settings.default_settings():
            values = sorted({f.secret_value for f in findings if f.secret_value}, key=len)
        for value in reversed(values):
            text = text.replace(value, "<secret>")
        return text, values

    return mask


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row a masker."""
    secrets, strings = (200, 2000) if quick else (2000, 20_000)
    with TemporaryDirectory() as folder:
        maskers: dict[str, Masker] = {"agentlens": ours()}
        if find_spec("detect_secrets"):
            maskers["detect-secrets, of files"] = _detect_secrets(Path(folder), True)
            maskers["detect-secrets, of lines"] = _detect_secrets(Path(folder), False)
        rows = []
        for name, mask in maskers.items():
            got = measure(mask, secrets, strings)
            missed, touched = got.pop("missed"), got.pop("touched kinds")
            rows.append({"masker": name, **got})
            for what, counted in (("missed", missed), ("touched", touched)):
                if counted:
                    most = ", ".join(f"{n} {k}" for k, n in counted.most_common(6))
                    print(f"{name} {what}: {most}\n")
    return rows
