"""Policy files: what they may set and say, and those of the presets, which lie in the package."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from agentlens.breaker.families.spec import rules_of
from agentlens.breaker.switches import SWITCHES

__all__ = ["ABOUT", "FIELDS", "preset_names", "preset_text", "preset_values"]

#: What a policy file may say of itself.
ABOUT = ("description", "version", "source", "shipped", "cannot")

#: What a policy file may set: every switch, and the rules.
FIELDS = frozenset((*SWITCHES, "rules"))


@cache
def preset_text(preset: str) -> str:
    """Return the policy file of a preset."""
    folder = resources.files("agentlens.breaker") / "presets"
    return (folder / f"{preset}.toml").read_text("utf-8")


@cache
def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, in order."""
    folder = resources.files("agentlens.breaker") / "presets"
    names = (p.name for p in folder.iterdir())
    return tuple(sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml")))


@cache
def preset_values(preset: str) -> dict[str, Any]:
    """Return every switch of a preset, and its rules."""
    given = tomllib.loads(preset_text(preset))
    values = {name: given.get(name, switch.default) for name, switch in SWITCHES.items()}
    return {**values, "rules": rules_of(given.get("rules", ()))}
