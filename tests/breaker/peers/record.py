"""Ask a peer's own package for its verdicts and keep them.

`python tests/breaker/peers/record.py PEER`: run it in an environment that has the peer; this
project need not be installed there.
"""

from __future__ import annotations

import importlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(peer: str) -> None:
    """Write the verdicts of one peer."""
    # Last, for one of the peers is itself imported as `agentlens`.
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != HERE] + [str(HERE.parents[2])]
    from tests.breaker.peers.draw import digest, draw

    module = importlib.import_module(f"tests.breaker.peers.peer_{peer.replace('-', '_')}")
    runs = draw(module.WORDS, module.SEED)
    verdicts: dict[str, list[list[int]]] = {}
    for rows in runs:
        for mark, rounds in module.judge(rows).items():
            verdicts.setdefault(mark, []).append(rounds)
    kept = {
        "package": module.PACKAGE,
        "version": version(module.PACKAGE),
        "seed": module.SEED,
        "runs": digest(runs),
        **getattr(module, "NOTE", {}),
        "verdicts": verdicts,
    }
    folder = HERE / "verdicts"
    folder.mkdir(exist_ok=True)
    text = json.dumps(kept, separators=(",", ":"))
    (folder / f"{peer}.json").write_text(text + "\n", encoding="utf-8")
    said = {mark: sum(map(bool, made)) for mark, made in verdicts.items()}
    sys.stdout.write(f"{peer} {kept['version']}: {said} of {len(runs)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
