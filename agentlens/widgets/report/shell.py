"""What every page of a report shares: a policy that allows its own script alone, and safe data."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from agentlens.errors import TraceError
from agentlens.trace import whole_file

__all__ = ["csp", "inert", "write_whole"]


def csp(script: str = "") -> str:
    """Return a content-security policy that allows a page one script, styles, and nothing else."""
    allowed = f"script-src {_hash(script)}; " if script else ""
    return (
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def inert(text: str) -> str:
    """Return JSON as it can stand in a page: it can end no element and start none."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def write_whole(target: Path, data: str | bytes) -> Path:
    """Write a file in one stroke, as `agentlens.trace.whole_file` does; return its path.

    Raises
    ------
    TraceError
        If it cannot be written.
    """
    content = data.encode("utf-8", "replace") if isinstance(data, str) else data
    try:
        whole_file.write_whole(target, content)
    except OSError as error:
        raise TraceError(f"{target}: cannot be written: {error.strerror or error}") from error
    return target
