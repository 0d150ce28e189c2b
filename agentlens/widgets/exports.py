"""A policy as code for a loop of one's own, and as the configuration of agents that have one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from agentlens.breaker.families.spec import RuleSpec
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


#: What the SDK's detector looks back at, in events: a call and its result are two.
_OPENHANDS_EVENTS = 20


def _openhands(times: int) -> str:
    if times > _OPENHANDS_EVENTS // 2:
        raise PolicyError(
            f"openhands-sdk: its detector looks at the last {_OPENHANDS_EVENTS} events, that is "
            f"{_OPENHANDS_EVENTS // 2} calls with their results, so that {times} is never reached"
        )
    table = {"action_observation": times, "action_error": times}
    return (
        "# OpenHands software agent SDK, openhands.sdk.Conversation(...): its thought and its\n"
        "# result have to be the same too; with errors it is told first in newer versions\n"
        f"stuck_detection_thresholds = {json.dumps(table)}\n"
    )


def _openhands_rounds(rounds: int) -> str:
    return f"# openhands.sdk.Conversation(...)\nmax_iteration_per_run = {rounds}\n"


def _openclaw(times: int) -> str:
    if times < 3:
        raise PolicyError("openclaw-2026.3: its three thresholds must rise, so three is the least")
    # Only the last of the three blocks any tool; the second is for polls and for ping-pong.
    value = {
        "enabled": True, "historySize": max(30, times), "warningThreshold": times - 2,
        "criticalThreshold": times - 1, "globalCircuitBreakerThreshold": times,
        "detectors": {"genericRepeat": True, "knownPollNoProgress": False, "pingPong": False},
    }  # fmt: skip
    return json.dumps({"tools": {"loopDetection": value}}, indent=2) + "\n"


def _deerflow(times: int) -> str:
    return (
        "# config.yaml of DeerFlow: equal sets of calls within the window, in a row or not\n"
        f"loop_detection:\n  enabled: true\n  warn_threshold: {max(1, times - 1)}\n"
        f"  hard_limit: {times}\n  window_size: {max(20, times)}\n"
    )


def _qwen_calls(calls: int) -> str:
    return json.dumps({"model": {"maxToolCallsPerTurn": calls}}, indent=2) + "\n"


#: Agents whose configuration can hold how often the same call may follow itself.
HOSTS: Mapping[str, Callable[[int], str]] = {
    "openhands-sdk": _openhands, "openclaw-2026.3": _openclaw, "deerflow": _deerflow,
}  # fmt: skip
#: Those that can hold a plain limit, by what is limited.
_LIMITS: Mapping[tuple[str, str], Callable[[int], str]] = {
    ("openhands-sdk", "rounds"): _openhands_rounds, ("qwen-code", "calls"): _qwen_calls,
}  # fmt: skip
#: Those that detect loops, with the reason why no such number can be given to them.
_FIXED = {
    "gemini-cli": "its thresholds are constants; model.disableLoopDetection is all there is",
    "openclaw": "its thresholds have become constants, and it refuses a file that sets them; "
    "tools.loopDetection.enabled is all there is (openclaw-2026.3 still has them)",
    "openhands": "its thresholds are constants; the SDK has settings: openhands-sdk",
    "qwen-code": "its thresholds are constants; model.skipLoopDetection switches the heuristics, "
    "and model.maxToolCallsPerTurn takes a limit of calls alone",
}


def host_config(policy: Policy, host: str) -> str:
    """Return a policy as the configuration of an agent that detects loops itself.

    Only what such an agent can express: how often the same call may come in a row, or for some a
    plain limit. A policy about reworded queries has no place there; use a `agentlens.Guard`. The
    sources and versions that the settings were read from are in docs/picking.md.

    Parameters
    ----------
    policy
        A policy whose own rule is one streak, as `same_action` makes it, or one budget of rounds
        or calls; its `stop` is taken.
    host
        One of `HOSTS`, or an agent that takes a limit.

    Raises
    ------
    PolicyError
        If there is no such host, it has no such setting, or the policy cannot be said in it.
    """
    limit = _only(policy, "budget")
    if limit and (host, limit.of) in _LIMITS:
        return _LIMITS[host, limit.of](_whole(host, limit))
    if host in _FIXED:
        raise PolicyError(f"{host}: {_FIXED[host]}")
    if host not in HOSTS:
        raise PolicyError(f"no host {host!r}; there are: {', '.join(sorted((*HOSTS, *_FIXED)))}")
    streak = _only(policy, "streak")
    if streak is None or streak.group == "tool" or not {"tool", "args"} <= set(streak.key):
        raise PolicyError(
            f"{host}: its configuration holds how often the same call may follow itself; this "
            "policy says something else: use guard_code()"
        )
    return HOSTS[host](_whole(host, streak))


def _only(policy: Policy, family: str) -> RuleSpec | None:
    """Return a policy's one rule, where it has no other and this one is of a family."""
    rules = policy.rules
    if policy.query or len(rules) != 1 or rules[0].family != family:
        return None
    return rules[0]


def _whole(host: str, rule: RuleSpec) -> int:
    if rule.stop is None or rule.stop != int(rule.stop):
        raise PolicyError(f"{host}: rule {rule.name!r} has no whole number at which it stops")
    return int(rule.stop)
