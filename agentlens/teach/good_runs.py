"""Good runs that look like loops: a guard that stops one of them has stopped it wrongly."""

from __future__ import annotations

from collections.abc import Iterator

from agentlens.breaker.task.goal import Goal, failing_tests, filled, holds
from agentlens.teach.scripted import Call, Result, Scenario, Turn, World, call

__all__ = ["GOOD_RUNS"]


def _searches(queries: dict[str, str], goal: Goal | None = None) -> World:
    """Return a world whose every search fills a slot of its own; an empty one brings nothing."""

    def script(_: World) -> Iterator[Turn]:
        yield from (Turn([call("webSearch", query=words)]) for words in queries)

    def act(world: World, asked: Call) -> Result:
        words = asked["args"]["query"]
        if not queries[words]:
            return {"result": f"nothing about {words}"}
        world.learn(queries[words], words)
        return {"result": f"{words}: found https://example.org/{queries[words]}"}

    return World(goal or Goal((filled(*filter(None, queries.values())),)), script, act)


def _years() -> World:
    return _searches({f"苹果公司{year}年财报": f"{year}" for year in range(2019, 2025)})


def _narrowing() -> World:
    return _searches({"北京": "city", "北京 旅游": "travel", "北京 旅游 攻略": "guide",
                      "北京 旅游 攻略 三日": "three days"})  # fmt: skip


def _dry_spell() -> World:
    return _searches({"steel price": "price", "mill certificates": "", "certificate registry": "",
                      "acme data sheet": "supplier"})  # fmt: skip


def _repair() -> World:
    def script(_: World) -> Iterator[Turn]:
        yield Turn([call("run_tests", command="pytest -q")])
        for number in range(5):
            yield Turn([call("edit_file", path="a.py", old=f"bug {number}", new=f"fix {number}")])
            yield Turn([call("run_tests", command="pytest -q")])

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "edit_file":
            world.effects[f"edit_file {asked['args']['old']}"] += 1
            world.facts["bugs"] -= 1
            return {"result": "edited"}
        world.facts["failing_tests"] = world.facts["bugs"]
        return {"result": f"{world.facts['bugs']} failed, {20 - world.facts['bugs']} passed"}

    goal = Goal((failing_tests(at_first=5),))
    return World(goal, script, act, facts={"evidence": {}, "bugs": 5, "failing_tests": 5})


def _build() -> World:
    def script(world: World) -> Iterator[Turn]:
        yield Turn([call("start_build", target="release")])
        while not world.facts.get("built"):
            yield Turn([call("build_status", id="b-1")])

    def act(world: World, asked: Call) -> Result:
        if asked["tool"] == "start_build":
            return {"result": "build b-1 started"}
        world.facts["asked"] = world.facts.get("asked", 0) + 1
        world.facts["built"] = world.facts["asked"] >= 6
        return {"result": "status: done" if world.facts["built"] else "status: running"}

    return World(Goal((holds("built", lambda facts: bool(facts.get("built"))),)), script, act)


#: Runs that must be let alone.
GOOD_RUNS: tuple[Scenario, ...] = (
    Scenario("G1", "the same search for six years", _years, "completed"),
    Scenario("G2", "a search that narrows step by step", _narrowing, "completed"),
    Scenario("G3", "two searches in vain, then a find", _dry_spell, "completed"),
    Scenario("G4", "edit and test until no test fails", _repair, "completed"),
    Scenario("G5", "a build that is waited for", _build, "completed"),
)
