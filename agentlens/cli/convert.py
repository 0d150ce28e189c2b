"""A trace as the bytes of another format, secrets masked unless the user wants them kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from agentlens.trace.secret_words import secret_words

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["TARGETS", "converted", "said_of_secrets"]

#: Formats that are written.
TARGETS = ("plain", "atif", "parquet")


def converted(trace: Trace, to: str, *, redact: bool = True) -> tuple[bytes, Mapping[str, int]]:
    """Return the trace in another format, and how many secrets of each kind were masked.

    Raises
    ------
    TraceError
        If the format needs a package that is not installed.
    """
    from agentlens.trace.redact_trace import masked

    trace, counts = masked(trace) if redact else (trace, {})
    if to == "parquet":
        from agentlens.trace.formats.tables_write import to_parquet

        return to_parquet(trace), counts
    if to == "plain":
        from agentlens.trace.formats.plain_write import plain_lines

        return "".join(f"{line}\n" for line in plain_lines(trace)).encode(), counts
    import orjson

    from agentlens.trace.formats.atif_write import to_atif

    return orjson.dumps(to_atif(trace), option=orjson.OPT_INDENT_2) + b"\n", counts


def said_of_secrets(counts: Mapping[str, int], *, redact: bool) -> str:
    """Say what was masked, or that nothing was."""
    if not redact:
        return "secrets, e-mail addresses and names of home folders were kept as they are"
    if not counts:
        return "no secret found to mask"
    return f"masked: {secret_words(counts)} (--no-redact keeps them)"
