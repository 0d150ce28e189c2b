"""Whether a call only looks, by what it asks: its tool's name alone proves nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentlens.trace.tool_words import words_of

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall

__all__ = ["command_of", "is_look", "is_pause"]

#: Commands that look, and change nothing.
_LOOKING = frozenset(
    "tail cat head less more grep egrep fgrep zgrep rg awk cut sort uniq tr jq yq wc ls dir find "
    "ps pgrep top htop jobs fg wait sleep watch date stat du df free uptime echo true test pwd cd "
    "nvidia-smi squeue sacct sinfo qstat bjobs lsof netstat ss ping nc journalctl dmesg env which "
    "get-content get-process get-job start-sleep type tasklist".split()
)  # fmt: skip
#: Words after a command (``kubectl get``, ``gh run view``) or in a script's name that say so too.
_LOOK_WORDS = frozenset(
    "status poll check wait watch logs log list ls show describe get view inspect progress ps "
    "top tail is-active rollout query".split()
)
_ACTING = frozenset(
    "apply create delete rm run start restart stop kill exec build deploy push install submit "
    "up down scale set edit patch post put send trigger launch rerun cancel add commit new".split()
)
_CLI = frozenset(
    "kubectl docker docker-compose podman gh glab aws gcloud az systemctl service supervisorctl "
    "git svn helm terraform airflow prefect dvc wandb heroku fly vercel netlify npm pm2 tmux "
    "screen argo flyctl databricks snakemake nomad consul".split()
)
_SPLIT = re.compile(r"&&|\|\||[|;\n&]")
_ENV = re.compile(r"\A(?:\w+=\S*\s+|sudo\s+|time\s+|timeout\s+\S+\s+)+")
_COMMAND_KEYS = ("command", "cmd", "script", "commands", "input", "chars")
_ACTION_KEYS = ("action", "operation", "op", "method", "subcommand", "mode", "type")
_PAUSE_KEYS = frozenset(
    "timeout_ms wait wait_ms wait_seconds block blocking seconds duration delay yield_time_ms "
    "timeout sleep ms".split()
)
_SLEEP = re.compile(
    r"(?:\A|[;&|\n]\s*)\s*(?:sleep\s+[\d.$]|start-sleep\b|time\.sleep|wait\s*\Z)", re.I
)


def command_of(call: SeenCall) -> str | None:
    """Return the command that a call runs, None where it runs none."""
    if call.effect not in ("run", "poll", "unknown"):
        return None
    args = call.args
    if args is None:
        return call.args_raw if call.effect == "run" else None
    for key in _COMMAND_KEYS:
        value = args.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return " ".join(value)
    return None


def is_look(call: SeenCall) -> bool:
    """Say whether a call only looks: it reads, polls, asks, or runs commands that do."""
    command = command_of(call)
    if command is not None and (call.effect != "poll" or command.strip()):
        return all(_looks(part) for part in _SPLIT.split(command) if part.strip())
    if call.effect in ("write", "finish", "think"):
        return False
    words = set(words_of(call.tool))
    for key in _ACTION_KEYS:
        value = (call.args or {}).get(key)
        if isinstance(value, str) and not _ACTING.isdisjoint(words_of(value)):
            return False
    if call.effect in ("run", "unknown"):
        return not _LOOK_WORDS.isdisjoint(words) and _ACTING.isdisjoint(words)
    return True


def _looks(part: str) -> bool:
    part = _ENV.sub("", part.strip())
    words = part.split()
    if not words:
        return True
    name = words[0].rsplit("/", 1)[-1].lower()
    if name in _LOOKING:
        return True
    if name == "sed":
        return "-i" not in words
    if name in ("curl", "wget", "http"):
        return not any(
            w in ("-d", "--data", "-F", "-T", "POST", "PUT", "DELETE", "PATCH", "-XPOST", "--json")
            for w in words
        )
    rest = {w.lower() for w in words[1:5] if not w.startswith("-")}
    if name in _CLI:
        return not rest.isdisjoint(_LOOK_WORDS) and (rest & _ACTING) <= {"run"}
    said = set(re.split(r"[\W_]+", " ".join(words[:3]).lower()))
    return not said.isdisjoint(_LOOK_WORDS - {"get", "list", "query"}) and said.isdisjoint(
        _ACTING - {"run"}
    )


def is_pause(call: SeenCall) -> bool:
    """Say whether a call waits by itself: a sleep, or a poll that blocks for some time."""
    command = command_of(call)
    if command is not None and _SLEEP.search(command):
        return True
    if call.effect != "poll":
        return False
    words = set(words_of(call.tool))
    if words & {"sleep", "wait", "等待"}:
        return True
    return any(
        key in _PAUSE_KEYS and value not in (0, None, False, "")
        for key, value in (call.args or {}).items()
    )
