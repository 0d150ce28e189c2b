"""A policy as code for a loop of one's own, and as the configuration of agents that have one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from agentlens.breaker.policy import Policy
from agentlens.errors import PolicyError

__all__ = ["HOSTS", "guard_code", "host_config"]


def guard_code(policy: Policy) -> str:
    """Return Python that runs a policy live, in shadow first."""
    toml = policy.to_toml().replace("\\", "\\\\").replace('"""', '\\"""')
    return (
        "from pathlib import Path\n\nimport agentlens as al\n\n"
        f'Path("policy.toml").write_text("""{toml}""", "utf-8")\n'
        'guard = al.Guard(al.Policy.from_toml("policy.toml"), mode="shadow")\n'
        'decision = guard.before([{"tool": "web_search", "args": {"query": "…"}}])\n'
        'guard.after([{"result": "…", "error": False}])\n'
        '# decision.would says what it had done; mode="enforce" does it\n'
    )


def _openhands(times: int) -> str:
    table = f"action_observation = {times}\naction_error = {times}\n"
    return f"# keyword arguments of StuckDetectionThresholds, OpenHands software agent SDK\n{table}"


def _gemini(_: int) -> str:
    # Its thresholds are constants of the program; only the switch is a setting.
    return json.dumps({"model": {"disableLoopDetection": False}}, indent=2) + "\n"


def _openclaw(times: int) -> str:
    value = {"warningThreshold": max(1, times - 1), "criticalThreshold": times, "enabled": True}
    return json.dumps({"tools": {"loopDetection": value}}, indent=2) + "\n"


def _deerflow(times: int) -> str:
    return (
        "# arguments of LoopDetectionMiddleware, DeerFlow\n"
        f"warn_threshold = {max(1, times - 1)}\nhard_limit = {times}\n"
    )


#: Agents whose configuration can hold how often the same call may follow itself.
HOSTS: Mapping[str, Callable[[int], str]] = {
    "openhands-sdk": _openhands, "openclaw": _openclaw, "deerflow": _deerflow,
}  # fmt: skip
#: Those that detect loops, with the reason why no number can be given to them.
_FIXED = {
    "gemini-cli": "its thresholds are constants; model.disableLoopDetection is all there is",
    "qwen-code": "its thresholds are constants; model.skipLoopDetection is all there is",
}


def host_config(policy: Policy, host: str) -> str:
    """Return a policy as the configuration of an agent that detects loops itself.

    Only what such an agent can express: how often the same call may come in a row. A policy about
    reworded queries has no place there; use a `agentlens.Guard`.

    Parameters
    ----------
    policy
        A policy whose own rule is one streak, as `same_action` makes it; its `stop` is taken.
    host
        One of `HOSTS`.

    Raises
    ------
    PolicyError
        If there is no such host, it has no such setting, or the policy cannot be said in it.
    """
    if host in _FIXED:
        raise PolicyError(f"{host}: {_FIXED[host]}")
    if host not in HOSTS:
        raise PolicyError(f"no host {host!r}; there are: {', '.join(sorted((*HOSTS, *_FIXED)))}")
    streaks = [rule for rule in policy.rules if rule.family in ("streak", "count")]
    if policy.query or len(policy.rules) != 1 or not streaks or streaks[0].stop is None:
        raise PolicyError(
            f"{host}: its configuration holds how often the same call may follow itself; this "
            "policy says more than that: use guard_code()"
        )
    return HOSTS[host](int(streaks[0].stop))
