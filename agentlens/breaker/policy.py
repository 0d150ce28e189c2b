"""Policy: everything that decides when a run must stop, as one frozen value."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from agentlens.breaker.families.spec import RuleError, RuleSpec, rules_of
from agentlens.breaker.policy_lines import line_of, line_of_rule
from agentlens.breaker.preset_files import ABOUT, FIELDS, preset_names, preset_text, preset_values
from agentlens.breaker.switches import SWITCHES, as_fraction
from agentlens.errors import PolicyError
from agentlens.trace.whole_file import write_whole

__all__ = ["DEFAULT_PRESET", "Policy", "as_policy"]

#: What a policy is where nobody names one; the article's breaker is ``classic``.
DEFAULT_PRESET = "layered"

#: A switch that is not given has the value that the policy's preset gives it.
_OF_PRESET: Any = type("OfPreset", (), {"__repr__": lambda _: "..."})()


@dataclass(frozen=True, slots=True)
class Policy:
    """When a run must stop. `Policy()` is the preset ``layered``; ``classic`` is the article's.

    Every field but `name` and `rules` is a switch of `agentlens.breaker.switches.SWITCHES`, which
    says what it may hold and what it decides; `Policy.describe()` prints them. `rules` are further
    rules, each a `agentlens.breaker.families.spec.RuleSpec` or a mapping of its fields.

    Raises
    ------
    PolicyError
        If a switch holds a value that it cannot hold.

    Examples
    --------
    >>> import agentlens as al
    >>> al.Policy.preset("classic", similarity="5/6", threshold=3).similarity
    Fraction(5, 6)
    """

    name: str = DEFAULT_PRESET
    enabled: bool = _OF_PRESET
    query: bool = _OF_PRESET
    staged: bool = _OF_PRESET
    similarity: Fraction = _OF_PRESET
    threshold: int = _OF_PRESET
    profile: str = _OF_PRESET
    measure: str = _OF_PRESET
    strict: bool = _OF_PRESET
    agg: str = _OF_PRESET
    mixed: str = _OF_PRESET
    mixed_join_history: bool = _OF_PRESET
    business: str = _OF_PRESET
    intra: bool = _OF_PRESET
    empty: str = _OF_PRESET
    min_tokens: int = _OF_PRESET
    numeric_veto: bool = _OF_PRESET
    window: int | str | None = _OF_PRESET
    decay: int | None = _OF_PRESET
    clear_on_progress: bool = _OF_PRESET
    punct: str | None = _OF_PRESET
    split_alnum: bool = _OF_PRESET
    search_tools: str | None = _OF_PRESET
    history_scope: str = _OF_PRESET
    scope: str = _OF_PRESET
    max_rounds: int | None = _OF_PRESET
    max_seconds: float | None = _OF_PRESET
    max_tokens: int | None = _OF_PRESET
    max_calls: int | None = _OF_PRESET
    max_cost: float | None = _OF_PRESET
    reserve: bool = _OF_PRESET
    retry_failed: bool = _OF_PRESET
    rules: tuple[RuleSpec, ...] = _OF_PRESET

    def __post_init__(self) -> None:
        from agentlens.progress.text import tokenize

        self._check_name(self.name)
        preset = preset_values(self.name)
        for name in FIELDS:
            if getattr(self, name) is _OF_PRESET:
                object.__setattr__(self, name, preset[name])
        object.__setattr__(self, "similarity", as_fraction(self.similarity))
        object.__setattr__(self, "rules", rules_of(self.rules))
        for name, switch in SWITCHES.items():
            switch.validate(name, getattr(self, name))
        tokenize("", self.profile, punct=self.punct)  # raises where there is no such profile

    @classmethod
    def presets(cls) -> list[str]:
        """Return the names of the presets."""
        return list(preset_names())

    @classmethod
    def preset(cls, preset: str, **switches: Any) -> Policy:
        """Return a preset by its name (see `presets`), with some switches set otherwise.

        Parameters
        ----------
        preset
            Its name.
        **switches
            What is set otherwise, by name.

        Raises
        ------
        PolicyError
            If there is no such preset, no such switch, or a switch cannot hold its value.
        """
        cls._check_name(preset)
        made = _preset(preset)
        return made.with_(**switches) if switches else made

    def with_(self, **switches: Any) -> Policy:
        """Return the same policy with some switches set otherwise.

        Parameters
        ----------
        **switches
            What is set otherwise, by name.

        Raises
        ------
        PolicyError
            If there is no such switch, or one cannot hold its value.
        """
        unknown = sorted(switches.keys() - FIELDS)
        if unknown:
            raise PolicyError(f"no switch {unknown[0]!r}; there are: {', '.join(SWITCHES)}, rules")
        return replace(self, **switches)

    @classmethod
    def _check_name(cls, preset: str) -> None:
        if preset not in cls.presets():
            raise PolicyError(f"no preset {preset!r}; there are: {', '.join(cls.presets())}")

    @staticmethod
    def about(preset: str) -> dict[str, str]:
        """Return what a preset says of itself: `ABOUT`, each empty where it says nothing.

        `shipped` is whether its agent has it on, off, or gives advice and never stops; `cannot`
        what of it a replay cannot see.
        """
        Policy._check_name(preset)
        values = tomllib.loads(preset_text(preset))
        return {key: str(values.get(key, "")) for key in ABOUT}

    @classmethod
    def from_toml(cls, path: str | Path) -> Policy:
        """Read a policy file: switches, over an optional ``preset = "classic"``.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        PolicyError
            With the file and the line, if it is no TOML or a switch is wrong.
        """
        path = Path(path).expanduser()
        try:
            text = path.read_text("utf-8")
            values = tomllib.loads(text)
        except OSError as error:
            raise PolicyError(f"{path}: {error.strerror or error}") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise PolicyError(f"{path}: not TOML: {error}") from error
        preset = values.pop("preset", DEFAULT_PRESET)
        for about in ABOUT:
            values.pop(about, None)
        try:
            base = cls.preset(preset) if isinstance(preset, str) else None
            if base is None:
                raise PolicyError(f"preset: {preset!r} is no name of a preset")
            return base.with_(**values)
        except PolicyError as error:
            line = line_of_rule(text, error) if isinstance(error, RuleError) else None
            line = line or line_of(text, str(error))
            raise PolicyError(f"{path}{f', line {line}' if line else ''}: {error}") from error

    def to_toml(self, path: str | Path | None = None) -> str:
        """Return the policy as TOML text, every switch spelled out.

        Parameters
        ----------
        path
            A file to write it to as well.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        import tomli_w

        values = {"preset": self.name, **self.to_dict()}
        del values["name"]
        text = tomli_w.dumps({k: v for k, v in values.items() if v is not None})
        if path is not None:
            write_whole(Path(path).expanduser(), text.encode("utf-8"))
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return every switch as plain values; the similarity as text, such as ``"4/5"``."""
        values = {
            f.name: str(v) if isinstance(v := getattr(self, f.name), Fraction) else v
            for f in fields(self)
        }
        values["rules"] = [rule.to_dict() for rule in self.rules]
        return values

    @staticmethod
    def describe() -> dict[str, str]:
        """Return what each switch may hold and decides, in words."""
        return {
            name: f"{s.doc}. Is {s.values}; default {s.default}." for name, s in SWITCHES.items()
        }


@cache
def _preset(preset: str) -> Policy:
    """Return a preset as it is: a frozen value, so that one will do."""
    return Policy(name=preset)


def as_policy(policy: Policy | str | None) -> Policy:
    """Return a policy from a policy, the name of a preset, or nothing: the default.

    Raises
    ------
    PolicyError
        If it is none of these, or there is no such preset.
    """
    if policy is None:
        return Policy()
    if isinstance(policy, str):
        return Policy.preset(policy)
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy: {policy!r} is neither a policy nor the name of a preset")
    return policy
