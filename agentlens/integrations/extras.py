"""One line for whoever has not installed a framework."""

from __future__ import annotations

__all__ = ["missing"]


def missing(module: str, extra: str, error: ImportError) -> ImportError:
    """Return the error that names the extra; one that is not about a missing module comes back.

    Parameters
    ----------
    module
        The adapter, as it stands in `agentlens.integrations`.
    extra
        The extra that brings what it needs.
    error
        What importing the framework raised.
    """
    if not isinstance(error, ModuleNotFoundError):
        return error
    return ImportError(
        f"agentlens.integrations.{module} needs {error.name}: "
        f"pip install 'agentlens-jupyter[{extra}]'",
        name=error.name,
    )
