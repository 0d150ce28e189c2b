"""The tree of a run's spans: order, which of nested spans is *the* response, and threads.

Rules, each met in real exports:

* A framework's span around a provider's span is one response, logged twice: the outer one counts
  and takes from the inner one what it lacks. A model span around several responses, or around
  responses and tools (a whole agent loop in one call), is no response.
* A tool span inside a tool span is how a tool works, not a call of the agent, unless a model
  answers in there: then the outer tool is a sub-agent, and everything beneath it a thread.
* An agent beneath an agent that answers itself, or beside one that runs at the same time, is a
  sub-agent too. Agents that take turns (a hand-over) share the thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlens.trace.build import MAIN
from agentlens.trace.formats.span import Span, fill

__all__ = ["Tree", "make_tree"]


@dataclass(eq=False)
class Tree:
    """Spans of one run, in the order in which they began.

    Parameters
    ----------
    order
        Spans; a parent comes before its children.
    parent
        Parent of each span by id, loops cut.
    openers
        Ids of the spans (tools, agents) that open a thread, and the name of each thread.
    twice, inside
        How many responses were logged twice, and how many tool spans lie inside another.
    """

    order: list[Span]
    parent: dict[str, Span]
    openers: dict[str, str]
    twice: int = 0
    inside: int = 0
    repeated: int = 0

    def above(self, span: Span) -> Iterator[Span]:
        """Yield the ancestors of a span, nearest first."""
        found = self.parent.get(span.span_id)
        while found is not None:
            yield found
            found = self.parent.get(found.span_id)

    def thread_of(self, span: Span) -> str:
        """Return the thread in which a span happened."""
        return next(
            (self.openers[s.span_id] for s in self._from(span) if s.span_id in self.openers), MAIN
        )

    def _from(self, span: Span) -> Iterator[Span]:
        """Yield where a span's thread may be opened: a tool is a call of the thread above it."""
        if span.kind != "tool":
            yield span
        yield from self.above(span)

    def nearest(self, span: Span, *kinds: str) -> Span | None:
        """Return the nearest ancestor of one of these kinds."""
        return next((s for s in self.above(span) if s.kind in kinds), None)


def make_tree(spans: Sequence[Span]) -> Tree:
    """Order spans, merge responses that were logged twice, and find the threads."""
    known: dict[str, Span] = {}
    repeated = 0
    for span in spans:
        old = known.get(span.span_id)
        if old is not None:  # written when it began and again when it ended
            repeated += 1
            fill(span, old)
        known[span.span_id] = span
    tree = Tree([], _parents(known), {}, repeated=repeated)
    depth = {name: sum(1 for _ in tree.above(span)) for name, span in known.items()}
    tree.order = _ordered(known, tree, depth)
    deepest = sorted(known.values(), key=lambda s: -depth[s.span_id])
    _merge_models(tree, deepest)
    _find_threads(tree, deepest)
    return tree


def _parents(known: dict[str, Span]) -> dict[str, Span]:
    """Return the parent of each span; a loop of parents is cut where it closes."""
    parent: dict[str, Span] = {}
    safe: set[str] = set()
    for name, span in known.items():
        path = {name}
        now = span
        while now.span_id not in safe:
            above = known.get(now.parent_id or "")
            if above is None or above.span_id in path:
                break
            parent[now.span_id] = above
            path.add(above.span_id)
            now = above
        safe |= path
    return parent


def _ordered(known: dict[str, Span], tree: Tree, depth: dict[str, int]) -> list[Span]:
    """Sort spans by when they began; a span without a time stands behind the one before it.

    Clocks of several machines differ, so that a child may claim to be older than its parent: it
    comes after it all the same.
    """
    begun: dict[str, float] = {}
    last: dict[str, float] = {}
    place = {name: number for number, name in enumerate(known)}
    for span in sorted(known.values(), key=lambda s: (depth[s.span_id], place[s.span_id])):
        above = tree.parent.get(span.span_id)
        floor = begun[above.span_id] if above is not None else 0.0
        family = above.span_id if above is not None else ""
        own = span.started if span.started is not None else last.get(family, floor)
        last[family] = begun[span.span_id] = max(own, floor)
    if any(span.started is not None for span in known.values()):
        return sorted(
            known.values(), key=lambda s: (begun[s.span_id], depth[s.span_id], place[s.span_id])
        )
    children: dict[str, list[Span]] = defaultdict(list)
    for span in known.values():
        above = tree.parent.get(span.span_id)
        children[above.span_id if above is not None else ""].append(span)
    order: list[Span] = []
    waiting = children[""][::-1]
    while waiting:
        span = waiting.pop()
        order.append(span)
        waiting += children[span.span_id][::-1]
    return order


def _merge_models(tree: Tree, deepest: Sequence[Span]) -> None:
    inner: dict[str, list[Span]] = defaultdict(list)
    tools: set[str] = set()
    for span in deepest:
        if span.kind == "tool":
            around = tree.nearest(span, "model", "agent", "tool")
            if around is not None and around.kind == "model":
                tools.add(around.span_id)
    for span in deepest:
        if span.kind != "model":
            continue
        mine = inner[span.span_id]
        answered = [s for s in mine if s.answer is not None or not s.failed]
        if len(answered) > 1 or (answered and span.span_id in tools):
            span.kind = "other"  # a loop of its own
            span.asked = span.asked or next((t.text for t in span.sent if t.role == "user"), "")
            continue
        if answered:
            fill(span, answered[0])
            answered[0].kind = "other"
            tree.twice += 1
        around = tree.nearest(span, "model", "agent", "tool")
        if around is not None and around.kind == "model":
            inner[around.span_id].append(span)


def _find_threads(tree: Tree, deepest: Sequence[Span]) -> None:
    answers: set[str] = set()  # agents and tools in which a model answers
    below: dict[str, list[Span]] = defaultdict(list)
    for span in deepest:
        if span.kind == "model":
            around = tree.nearest(span, "agent", "tool")
            if around is not None:
                answers.add(around.span_id)
            for above in tree.above(span):
                if above.kind == "tool":
                    tree.openers[above.span_id] = ""
                    break
    busy = {s.span_id for s in deepest if s.kind == "agent" and s.span_id in answers}
    _name_tools(tree, [s for s in deepest if s.span_id in busy])
    for span in deepest:
        if span.span_id in busy:
            around = tree.nearest(span, "agent", "tool")
            if around is None or around.kind == "agent":
                below[around.span_id if around else ""].append(span)
    for above_id, agents in below.items():
        if above_id in answers and above_id:
            tree.openers.update((a.span_id, "") for a in agents)
        elif len(agents) > 1 and above_id:
            tree.openers.update((a.span_id, "") for a in agents if _beside(a, agents))
    for span in deepest:
        around = tree.nearest(span, "tool", "agent") if span.kind == "tool" else None
        if around is not None and around.kind == "tool" and around.span_id not in tree.openers:
            fill(around, span)
            span.kind = "other"
            tree.inside += 1
    used: dict[str, int] = {MAIN: 1}
    for span in tree.order:
        if span.span_id in tree.openers:
            name = (span.tool or span.label or span.name or "agent")[:80]
            used[name] = used.get(name, 0) + 1
            tree.openers[span.span_id] = name if used[name] == 1 else f"{name} {used[name]}"


def _name_tools(tree: Tree, busy: Sequence[Span]) -> None:
    """Name a tool that is a sub-agent as the one agent that answers right beneath it."""
    labels: dict[str, set[str]] = defaultdict(set)
    for agent in busy:
        around = tree.nearest(agent, "agent", "tool")
        if around is not None and around.span_id in tree.openers:
            labels[around.span_id].add(agent.label or "")
    for span in tree.order:
        given = labels.get(span.span_id, set())
        if len(given) == 1:
            span.label = span.label or next(iter(given)) or None


def _beside(agent: Span, agents: Sequence[Span]) -> bool:
    """Say whether another agent runs while this one does."""
    if agent.started is None or agent.ended is None:
        return False
    return any(
        other is not agent
        and other.started is not None
        and other.ended is not None
        and other.started < agent.ended
        and agent.started < other.ended
        for other in agents
    )
