"""trajectory-fuse's fuse as it is set by default, which raises."""

from __future__ import annotations

from trajectory_fuse import Action, AgentFuse, DeadlockDetected

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "trajectory-fuse", PLAIN, 5


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the round at which it raises."""
    fuse = AgentFuse()
    for row in rows:
        if row.get("tool"):
            done = Action(row["tool"], row["args"], row["result"], success=not row["error"])
            try:
                fuse.observe(done)
            except DeadlockDetected:
                return {"raise": [row["round"]]}
    return {"raise": []}
