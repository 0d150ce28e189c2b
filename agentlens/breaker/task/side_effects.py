"""When two side effects are the same one, and how many of a recorded run happened twice."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from agentlens.progress.canonical import canonical

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["duplicate_writes", "hash_of", "identity_of"]

#: Arguments that hold an idempotency key, as APIs call it.
_KEYS = ("idempotency_key", "idempotencyKey", "Idempotency-Key", "idempotency-key")


def hash_of(value: Any) -> str:
    """Return a hash of a JSON value that equal values share, however they are spelled."""
    return blake2b(canonical(value), digest_size=16).hexdigest()


def identity_of(
    tool: str, args: Mapping[str, Any] | None, target: str = "", key: str | None = None
) -> str:
    """Return what makes two side effects the same one.

    Its idempotency key, given or among the arguments; else tool, canonical arguments and target.
    """
    given = key or next((str(v) for k in _KEYS if args and (v := args.get(k))), None)
    return f"key:{given}" if given else f"call:{hash_of([tool, args, target])}"


def duplicate_writes(trace: Trace) -> int:
    """Return how many writes of a recorded run took effect again.

    Counted are calls that write and that the log says went well; of each identity all but the
    first. It cannot see that a write which timed out took effect all the same.
    """
    calls = trace.tables["calls"]
    seen: set[str] = set()
    again = 0
    for effect, status, tool, args, raw, target in zip(
        *(calls[c] for c in ("effect", "status", "tool", "args", "args_raw", "target")), strict=True
    ):
        if effect == "write" and status == "ok":
            key = identity_of(tool, args if args is not None else {"": raw}, target or "")
            again += key in seen
            seen.add(key)
    return again
