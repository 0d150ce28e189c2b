"""Which thread each record of a Claude Code session belongs to: main, a sub-agent, a branch.

Records point to their parents. Sub-agents are marked (``isSidechain``), by agent id or, in old
versions, by descending from a prompt of their own. A rewind shows as a prompt of the user that
does not descend from the latest prompts: those it left behind, with all that followed from them,
are a branch. Parallel calls and hooks fork the graph as well, between prompts; since only prompts
are compared, they make no branch. The graph may hold cycles and point to records that are gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentlens.trace.build import MAIN
from agentlens.trace.formats.claude_entries import AGENT_TOOLS, Entry

__all__ = ["About", "Threads", "find_threads"]


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a thread."""

    kind: str
    parent: str | None = None
    call: str | None = None
    name: str | None = None
    abandoned: bool = False


@dataclass
class Threads:
    """Threads of entries (by identity; those not listed are in the main thread)."""

    thread_of: dict[int, str] = field(default_factory=dict)
    about: dict[str, About] = field(default_factory=dict)
    #: For each agent, the id of the call that started it.
    call_of: dict[str, str] = field(default_factory=dict)


def find_threads(entries: list[Entry], agents: dict[str, str | None]) -> Threads:
    """Assign entries to threads.

    Parameters
    ----------
    entries
        All entries, in order.
    agents
        For each agent with a log of its own, the call that started it, where known.
    """
    out = Threads()
    _branches([entry for entry in entries if not entry.side], out)
    if any(entry.side for entry in entries):
        _agents(entries, agents, out)
    else:
        out.call_of.update(_started(entries)[0])
    return out


def _owners(entries: list[Entry]) -> dict[str, Entry | None]:
    """Return, for each uuid, the nearest prompt of the user above it (or itself)."""
    by_uuid: dict[str, Entry] = {}
    owner: dict[str, Entry | None] = {}
    for entry in entries:
        uuid = entry.uuid
        if entry.kind == "user":
            if uuid:
                owner[uuid] = entry
            continue
        if entry.parent in owner and uuid not in owner:
            if uuid:  # the usual case: the parent stands above it in the file
                owner[uuid] = owner[entry.parent]
            continue
        if uuid and not entry.parent:
            owner.setdefault(uuid, None)
            continue
        by_uuid = by_uuid or {other.uuid: other for other in entries if other.uuid}
        path: list[str] = []
        at: Entry | None = entry
        found: Entry | None = None
        while at is not None and at.uuid:
            if at.uuid in owner:
                found = owner[at.uuid]
                break
            if at.kind == "user":
                owner[at.uuid] = found = at
                break
            path.append(at.uuid)
            owner[at.uuid] = None  # a cycle comes back to here and ends
            at = by_uuid.get(at.parent) if at.parent else None
        for uuid in path:
            owner[uuid] = found
    return owner


def _branches(entries: list[Entry], out: Threads) -> None:
    prompts = [entry for entry in entries if entry.kind == "user" and entry.uuid]
    if len(prompts) < 2:
        return
    owner = _owners(entries)
    above = {id(p): owner.get(p.parent) if p.parent else None for p in prompts}
    children: dict[int, list[Entry]] = {}
    for prompt in prompts:
        parent = above[id(prompt)]
        if parent is not None and parent is not prompt:
            children.setdefault(id(parent), []).append(prompt)
    if not any(len(found) > 1 for found in children.values()):
        return
    members: dict[int, list[Entry]] = {}
    for entry in entries:
        mine = owner.get(entry.uuid) if entry.uuid else None
        if mine is not None:
            members.setdefault(id(mine), []).append(entry)
    live = _live(entries, owner, above)
    number = 0
    for siblings in children.values():
        if len(siblings) < 2:
            continue
        parent = above[id(siblings[0])]
        if parent is None or id(parent) not in live:
            continue  # within a branch already
        for left in siblings:
            if id(left) in live:
                continue
            found = _below(left, children, members)
            if not any(entry.kind == "assistant" for entry in found):
                continue  # a message that was queued or retyped: nothing followed from it
            number += 1
            name = f"branch-{number}"
            title = " ".join(left.text.split())[:60]
            out.about[name] = About("branch", MAIN, None, title, abandoned=True)
            for entry in found:
                out.thread_of[id(entry)] = name


def _live(
    entries: list[Entry], owner: dict[str, Entry | None], above: dict[int, Entry | None]
) -> set[int]:
    """Return the prompts that lead to the last record of each tree of prompts."""
    root_of: dict[int, int] = {}
    last: dict[int, Entry] = {}
    for entry in entries:
        prompt = owner.get(entry.uuid) if entry.uuid else None
        if prompt is None:
            continue
        chain: list[Entry] = []
        at: Entry | None = prompt
        while at is not None and id(at) not in root_of and at not in chain[-1:]:
            if len(chain) > len(above):
                break  # a cycle
            chain.append(at)
            at = above.get(id(at))
        root = root_of.get(id(at), id(at)) if at is not None else id(chain[-1])
        for each in chain:
            root_of[id(each)] = root
        last[root_of[id(prompt)]] = prompt
    live: set[int] = set()
    for prompt in last.values():
        at = prompt
        while at is not None and id(at) not in live:
            live.add(id(at))
            at = above.get(id(at))
    return live


def _below(
    prompt: Entry, children: dict[int, list[Entry]], members: dict[int, list[Entry]]
) -> list[Entry]:
    """Return all entries that follow from a prompt."""
    found: list[Entry] = []
    todo, seen = [prompt], {id(prompt)}
    while todo:
        at = todo.pop()
        found += members.get(id(at), [])
        for child in children.get(id(at), []):
            if id(child) not in seen:
                seen.add(id(child))
                todo.append(child)
    return found


def _started(entries: list[Entry]) -> tuple[dict[str, str], dict[str, list[str]], dict[str, Entry]]:
    """Return which call started which agent, calls by their prompt, and each call's entry."""
    by_agent: dict[str, str] = {}
    by_prompt: dict[str, list[str]] = {}
    entry_of: dict[str, Entry] = {}
    for entry in entries:
        if entry.launched:
            call = entry.blocks[0][0] if len(entry.blocks) == 1 else None
            if call is not None:
                by_agent.setdefault(entry.launched, call)
        elif entry.launches:
            for kind, tool, given, call in entry.blocks:
                if kind == "call" and tool in AGENT_TOOLS and call and isinstance(given, dict):
                    entry_of[call] = entry
                    by_prompt.setdefault(str(given.get("prompt", "")).strip(), []).append(call)
    return by_agent, by_prompt, entry_of


def _agents(entries: list[Entry], agents: dict[str, str | None], out: Threads) -> None:
    by_agent, by_prompt, entry_of = _started(entries)
    by_agent.update({agent: call for agent, call in agents.items() if call})
    out.call_of.update(by_agent)
    names: dict[str, str] = {}
    firsts: dict[str, Entry] = {}
    for entry in entries:
        if not entry.side:
            continue
        name = f"agent-{entry.agent}" if entry.agent else names.get(entry.parent or "")
        if name is None:
            name = f"agent-{len(firsts) + 1}"
        if entry.uuid:
            names[entry.uuid] = name
        out.thread_of[id(entry)] = name
        firsts.setdefault(name, entry)
    for name, first in firsts.items():
        call = by_agent.get(first.agent) if first.agent else None
        if call is None and first.kind == "prompt":
            waiting = by_prompt.get(first.text.strip(), [])
            call = waiting.pop(0) if waiting else None
        starter = entry_of.get(call) if call else None
        parent = out.thread_of.get(id(starter), MAIN) if starter is not None else MAIN
        out.about[name] = About("subagent", parent, call, _title(call, starter) or name)
    for name, about in list(out.about.items()):
        over = out.about.get(about.parent or "")
        if over is not None and over.abandoned and not about.abandoned:
            out.about[name] = About(about.kind, about.parent, about.call, about.name, True)


def _title(call: str | None, starter: Entry | None) -> str | None:
    """Return what the starting call says of the agent."""
    for _, _, given, call_id in starter.blocks if starter is not None else ():
        if call_id == call:
            for key in ("description", "subagent_type"):
                if isinstance(given, dict) and isinstance(given.get(key), str):
                    return str(given[key])[:80]
    return None
