"""The loop test set S1 to S8 (A2) as scripted scenarios: the way in goes wrong, and how it ends.

Each says when the first turn comes that brings nothing, by which turn a guard must have stepped
in, and in which terminal the run must end; duplicate side effects must be 0 in all. The latest
turn is the onset and the three repeats of the escalation ladder: nudge, block, stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, cycle

from agentlens.breaker.task.goal import Goal, filled, holds, required
from agentlens.teach.scripted import Call, Result, Scenario, Turn, World, call

__all__ = ["SCENARIOS"]


def _s1() -> World:
    def script(_: World) -> Iterator[Turn]:
        for attempt in count(1):
            yield Turn([call("get_invoice", id=17, request_id=f"r-{attempt}")])

    healed = (Turn([call("get_invoice", id=17)]),)

    def act(world: World, _: Call) -> Result:
        if not world.well:
            return {"result": "HTTP 500 Internal Server Error", "error": True}
        world.learn("invoice", "4,200")
        return {"result": "total: 4,200"}

    return World(Goal((filled("invoice"),)), script, act, healed)


def _s2() -> World:
    def script(_: World) -> Iterator[Turn]:
        yield Turn([call("fill_field", element="name", value="Ana")])
        yield Turn([call("fill_field", element="email", value="ana@example.org")])
        yield from (Turn([call("press_button", element="submit")]) for _ in count())

    healed = (Turn([call("press_button", element="submit")]),)

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "fill_field":
            element = asked["args"]["element"]
            world.facts.setdefault("fields", {})[element] = asked["args"]["value"]
            world.found.append(f"{element} is filled")
        elif world.well:
            world.facts["submitted"] = True
            world.effects["press_button submit"] += 1
        return {"result": "ok"}

    return World(
        Goal((required("name", "email"),)), script, act, healed, tools={"press_button": "run"}
    )


_STEEL = ("钢材 价格", "螺纹钢 多少钱", "钢铁 市场 报价", "steel price", "钢价 行情", "今日 钢市")


def _s3() -> World:
    def script(_: World) -> Iterator[Turn]:
        yield from (Turn([call("webSearch", query=words)]) for words in cycle(_STEEL))

    healed = (Turn([call("open_page", url="https://vendor.example/data-sheet")]),)

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "open_page":
            world.learn("supplier data", "sheet 7")
            return {"result": "data sheet 7"}
        if "price" not in world.facts["evidence"]:
            world.learn("price", "3,410")
        return {"result": "1. Steel today: 3,410 https://example.org/steel"}

    return World(Goal((filled("price", "supplier data"),)), script, act, healed)


def _s4() -> World:
    def script(world: World) -> Iterator[Turn]:
        while not world.said and not world.facts.get("confirmed"):
            yield Turn([call("pay", order="A-17", amount=5)])

    def act(world: World, _: Call) -> Result:
        world.effects["pay A-17"] += 1
        world.found.append("payment of 5 was asked for")
        return {"result": "request timed out", "error": True, "status": "timeout"}

    goal = Goal((holds("payment confirmed", lambda facts: bool(facts.get("confirmed"))),))
    return World(goal, script, act, tools={"pay": "write"})


_TASKS = {"legal": "an opinion on the contract", "sales": "forecast for next year"}


def _s5() -> World:
    def script(_: World) -> Iterator[Turn]:
        yield Turn([call("read_file", path="brief.md")])
        yield Turn([call("task", goal=goal, name=name) for name, goal in _TASKS.items()])
        while True:
            yield Turn([call("task_status", of="sales")], "legal", "sales")
            yield Turn([call("task_status", of="legal")], "sales", "legal")

    healed = (Turn([call("read_file", path="sales.md"), call("read_file", path="legal.md")]),)

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] != "read_file":
            return {"result": "started" if asked["tool"] == "task" else "status: pending"}
        slot = asked["args"]["path"].removesuffix(".md")
        world.learn(slot, f"what {slot} says")
        return {"result": f"what {slot} says"}

    return World(Goal((filled("brief", "legal", "sales"),)), script, act, healed)


_GOALS = (
    "competitor prices", "prices of competitors", "what do rivals charge", "rival price survey",
    "market price comparison", "cost of alternatives", "pricing of other vendors",
)  # fmt: skip


def _s6() -> World:
    def script(_: World) -> Iterator[Turn]:
        yield Turn([call("read_file", path="market.md")])
        yield from (Turn([call("task", goal=words)]) for words in cycle(_GOALS))

    healed = (Turn([call("open_page", url="https://rival.example/prices")]),)

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "task":
            return {"result": f"needs more research: {asked['args']['goal']}"}
        slot = "market" if asked["tool"] == "read_file" else "prices"
        world.learn(slot, f"the {slot}")
        return {"result": f"the {slot}"}

    return World(Goal((filled("market", "prices"),)), script, act, healed)


def _s7() -> World:
    def script(_: World) -> Iterator[Turn]:
        yield Turn([call("read_file", path="plan.md")])
        yield from (Turn([call("ask_user", question="May I deploy?")]) for _ in count())

    healed = (Turn([call("deploy_release", version="1.2")]),)

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "ask_user":
            world.effects["ask_user May I deploy?"] += 1
            return {"result": None}
        if asked["tool"] == "deploy_release":
            world.effects["deploy_release 1.2"] += 1
        world.learn("plan" if asked["tool"] == "read_file" else "deployed", "1.2")
        return {"result": "1.2"}

    return World(
        Goal((filled("plan", "deployed"),)), script, act, healed, tools={"deploy_release": "write"}
    )


_OUTAGE = ("服务 中断 原因", "宕机 起因", "故障 根源", "outage cause", "为什么 不可用", "事故 分析")


def _s8() -> World:
    def script(_: World) -> Iterator[Turn]:
        for turn, words in enumerate(cycle(_OUTAGE), 1):
            yield Turn([call("webSearch", query=words)])
            yield Turn([call("summarise", text=f"page {turn} says, in other words, {words}")])

    healed = (Turn([call("read_file", path="post-mortem.md")]),)

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "read_file":
            world.learn("fix", "roll back")
            return {"result": "fix: roll back"}
        if "cause" not in world.facts["evidence"]:
            world.learn("cause", "a full disk")
        words = " ".join(map(str, asked["args"].values()))
        return {"result": f"{words}: a full disk https://example.org/{abs(hash_of(words))}"}

    return World(Goal((filled("cause", "fix"),)), script, act, healed)


def hash_of(words: str) -> int:
    """Return a number that is the same in every process, to give every page its own address."""
    return sum(place * ord(sign) for place, sign in enumerate(words, 1))


#: S1 to S8, in their order.
SCENARIOS: tuple[Scenario, ...] = (
    Scenario("S1", "a tool always returns the same 500", _s1, "failed", 1, 4),
    Scenario("S2", "a tool succeeds and nothing changes", _s2, "partial", 3, 6),
    Scenario("S3", "search results keep repeating", _s3, "partial", 2, 5),
    Scenario("S4", "a write took effect, its answer timed out", _s4, "completed", 2, 2),
    Scenario("S5", "two sub-tasks wait for each other", _s5, "partial", 4, 7),
    Scenario("S6", "synonymous sub-goals, one after the other", _s6, "partial", 2, 5),
    Scenario("S7", "a person never approves", _s7, "waiting_human", 3, 5),
    Scenario("S8", "search, summarise, search a synonym, summarise", _s8, "partial", 2, 5),
)
