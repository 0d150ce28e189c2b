"""Hard budgets: each dimension at its limit, the finalizer's reserve, parts for sub-agents."""

from __future__ import annotations

from fractions import Fraction
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.budgets.amounts import DIMENSIONS, Amounts, Limits, reserve_of
from agentlens.breaker.budgets.incidents import Incident, hits, incident_words
from agentlens.breaker.budgets.limits import Budget, ToolTimeouts
from agentlens.errors import PolicyError


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


#: A total, the finalizer's part by A-24 worked out by hand, and one unit to spend it in.
CASES = {
    "steps": (40, 4, 1),
    "seconds": (300.0, 30.0, 0.5),
    "tokens": (60_000, 6_000, 250),
    "calls": (25, 3, 1),  # a tenth is 2.5, rounded up
    "cost": (2.0, 0.2, 0.05),
}


def use(budget: Budget, clock: Clock, dimension: str, amount: float) -> None:
    if dimension == "seconds":
        clock.now += amount
    else:
        budget.spend(Amounts(**{dimension: amount}))


def at_limit(dimension: str) -> None:
    """The main loop stops exactly at the total less the reserve, and the finalizer has the rest."""
    total, kept, unit = CASES[dimension]
    clock = Clock()
    budget = Budget(Limits(**{dimension: total}), clock=clock)
    units = round((total - kept) / unit)
    for _ in range(units - 1):
        use(budget, clock, dimension, unit)
    assert budget.hit() == ()
    use(budget, clock, dimension, unit)  # now exactly as much as may be
    (incident,) = budget.hit()
    assert incident.kind == f"budget_{dimension}"
    assert incident.limit == pytest.approx(total - kept)
    # R34: what the finalizer needs within its reserve is still there, and not a unit more.
    assert getattr(budget.left(finalizer=True), dimension) == pytest.approx(kept)
    for _ in range(round(kept / unit)):
        assert budget.exhausted() == ()
        use(budget, clock, dimension, unit)
    assert [i.dimension for i in budget.exhausted()] == [dimension]


def test_r32_r34_steps_stop_at_the_limit_and_leave_the_reserve():
    at_limit("steps")


def test_r32_r34_seconds_stop_at_the_limit_and_leave_the_reserve():
    at_limit("seconds")


def test_r32_r34_tokens_stop_at_the_limit_and_leave_the_reserve():
    at_limit("tokens")


def test_r32_r34_calls_stop_at_the_limit_and_leave_the_reserve():
    at_limit("calls")


def test_r32_r34_cost_stops_at_the_limit_and_leaves_the_reserve():
    at_limit("cost")


def test_r32_every_dimension_has_a_class_of_its_own():
    everything = Amounts(1, 1.0, 1, 1, 1.0)
    kinds = [i.kind for i in hits(everything, Limits(1, 1.0, 1, 1, 1.0))]
    assert kinds == [f"budget_{name}" for name in DIMENSIONS]
    assert len(set(kinds)) == 5


def test_r32_all_causes_are_kept_when_several_are_hit_at_once():
    budget = Budget(Limits(steps=2, tokens=10), reserve=Limits(), clock=Clock())
    budget.spend(Amounts(steps=2, tokens=10))
    assert [i.kind for i in budget.hit()] == ["budget_steps", "budget_tokens"]


def test_r33_a_tool_s_timeout_is_apart_from_the_total_time():
    clock = Clock()
    budget = Budget(Limits(seconds=600.0), clock=clock)
    tools = ToolTimeouts(default=30.0, of_tool={"build": 120.0, "ask_user": None})
    clock.now += 30
    incident = tools.over("web_search", 30.0)
    assert incident == Incident("tool_timeout", 30.0, 30.0, "web_search")
    assert incident.kind not in {f"budget_{name}" for name in DIMENSIONS}
    assert budget.hit() == ()  # the task has time left
    assert tools.over("web_search", 29.999) is None
    assert tools.over("build", 119.0) is None
    assert tools.over("build", 120.0).limit == 120.0
    assert tools.over("ask_user", 1e6) is None
    assert tools.over("web_search", None) is None
    with pytest.raises(PolicyError, match="timeout of build: 0 is no number of seconds above 0"):
        ToolTimeouts(of_tool={"build": 0})


@pytest.mark.parametrize(
    ("total", "kept"),
    [
        (Limits(steps=5), Limits(steps=1)),  # the floor of one step
        (Limits(seconds=60.0), Limits(seconds=20.0)),  # the floor of 20 s
        (Limits(tokens=8_000), Limits(tokens=1_500)),  # the floor of 1,500 tokens
        (Limits(calls=4), Limits(calls=1)),
        (Limits(cost=0.5), Limits(cost=0.05)),
        (Limits(seconds=15.0), Limits(seconds=7.5)),  # a floor would leave nothing: shared
        (Limits(tokens=1_001), Limits(tokens=500)),
        (Limits(steps=1, calls=1), Limits(steps=0, calls=0)),
        (Limits(), Limits()),
    ],
)
def test_a24_the_reserve_is_a_tenth_with_floors(total, kept):
    assert reserve_of(total) == kept


def test_r34_the_reserve_can_be_set():
    budget = Budget(Limits(tokens=100), reserve=Limits(tokens=30), clock=Clock())
    assert budget.main == Limits(tokens=70)


def test_r32_nothing_but_a_person_makes_a_budget_larger():
    clock = Clock()
    budget = Budget(Limits(steps=10, seconds=100.0), reserve=Limits(), clock=clock)
    budget.spend(Amounts(steps=6))
    clock.now += 40
    before = budget.left()
    assert before == Limits(steps=4, seconds=60.0)
    child = budget.carve(Limits(steps=2))
    child.spend(Amounts(steps=1))
    child.close()
    assert budget.left() == Limits(steps=3, seconds=60.0)
    assert not [name for name in dir(budget) if "reset" in name or "clear" in name]
    budget.grant(Limits(steps=5))
    assert budget.left().steps == 8


def test_r42_a_child_is_carved_from_its_parent_and_draws_on_it():
    clock = Clock()
    parent = Budget(Limits(steps=20, tokens=1_000), reserve=Limits(), clock=clock)
    first = parent.carve(Limits(steps=8, tokens=600))
    with pytest.raises(PolicyError, match="tokens: 500 asked for a sub-agent; 400 is left"):
        parent.carve(Limits(steps=1, tokens=500))
    second = parent.carve(Limits(tokens=400))  # steps: all that is left
    assert second.total == Limits(steps=12, tokens=400)
    with pytest.raises(PolicyError, match="nothing is left for a sub-agent"):
        parent.carve(Limits())
    first.spend(Amounts(steps=3, tokens=100))
    assert parent.used == Amounts(steps=3, tokens=100)
    first.close()
    first.close()  # once is enough
    assert parent.left() == Limits(steps=5, tokens=500)
    grandchild = second.carve(Limits(steps=2, tokens=50))
    grandchild.spend(Amounts(tokens=50))
    assert (second.used.tokens, parent.used.tokens) == (50, 150)


def test_r42_no_child_outlives_its_parent_s_time():
    clock = Clock()
    parent = Budget(Limits(seconds=60.0), reserve=Limits(), clock=clock)
    clock.now += 20
    one, two = parent.carve(Limits()), parent.carve(Limits(seconds=30.0))  # side by side
    assert (one.total.seconds, two.total.seconds) == (40.0, 30.0)
    clock.now += 40
    assert {b.hit()[0].kind for b in (one, two, parent)} == {"budget_seconds"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["carve", "spend", "close"]), st.integers(0, 5), st.integers(0, 40)
        ),
        max_size=40,
    )
)  # fmt: skip
def test_r42_what_is_carved_never_exceeds_the_parent(steps):
    """Against a slow account: grants that are open, less what was drawn on them."""
    parent = Budget(Limits(tokens=100), reserve=Limits(), clock=Clock())
    children, granted, drawn, spent = [], [], [], 0
    for action, which, amount in steps:
        if action == "carve":
            try:
                children.append(parent.carve(Limits(tokens=amount)))
            except PolicyError:
                continue
            granted.append(amount)
            drawn.append(0)
        elif children:
            place = which % len(children)
            child = children[place]
            if action == "spend" and child is not None:
                part = min(amount, granted[place] - drawn[place])
                child.spend(Amounts(tokens=part))
                drawn[place] += part
                spent += part
            elif child is not None:
                child.close()
                children[place] = None
        open_ = sum(
            g - d for c, g, d in zip(children, granted, drawn, strict=True) if c is not None
        )
        assert spent + open_ <= 100
        assert parent.used.tokens == spent
        assert parent.left().tokens == 100 - spent - open_


def test_r42_a_child_that_overdraws_is_paid_by_its_parent():
    parent = Budget(Limits(tokens=100), reserve=Limits(), clock=Clock())
    child = parent.carve(Limits(tokens=10))
    child.spend(Amounts(tokens=25))  # the last step is known only when it is done
    assert child.hit()
    assert parent.left() == Limits(tokens=75)


def test_threads_that_share_a_budget_lose_nothing():
    parent = Budget(Limits(tokens=10**9), clock=Clock())
    children = [parent.carve(Limits(tokens=10**6)) for _ in range(8)]

    def work(child):
        for _ in range(500):
            child.spend(Amounts(steps=1, tokens=3, cost=0.1))

    threads = [Thread(target=work, args=(child,)) for child in children]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert parent.used == Amounts(steps=4000, tokens=12_000, cost=400.0)


def test_r45_a_resumed_budget_has_what_was_left():
    clock = Clock()
    budget = Budget(Limits(steps=10, seconds=100.0, cost=1.0), clock=clock)
    budget.spend(Amounts(steps=4, cost=0.3))
    clock.now += 25
    later = Clock()
    later.now = 9_000.0
    again = Budget.from_dict(budget.to_dict(), later)
    assert again.used == Amounts(steps=4, seconds=25.0, cost=0.3)
    assert again.left() == budget.left()
    later.now += 5
    assert again.used.seconds == 30.0


@given(st.lists(st.integers(0, 10**7), max_size=60), st.sampled_from(["seconds", "cost"]))
def test_sums_of_decimals_reach_a_decimal_limit(parts, dimension):
    """0.1 + 0.2 reaches 0.3: sums are those of decimals, whatever floats make of them."""
    scale = {"seconds": 10**6, "cost": 10**9}[dimension]
    total = Amounts()
    for part in parts:
        total = total + Amounts(**{dimension: part / scale})
    exact = Fraction(sum(parts), scale)
    assert getattr(total, dimension) == float(exact)
    if exact:
        assert hits(total, Limits(**{dimension: float(exact)}))


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_an_amount_that_is_none_is_refused(value):
    with pytest.raises(PolicyError, match=r"tokens: .* was used; an amount is a number from 0 on"):
        Amounts(tokens=value)


@pytest.mark.parametrize(
    ("name", "value"), [("steps", 1.5), ("tokens", -1), ("cost", float("nan"))]
)
def test_a_limit_that_is_none_is_refused(name, value):
    with pytest.raises(PolicyError, match=name):
        Limits(**{name: value})


def test_an_incident_is_said_in_both_languages():
    incident = Incident("tokens", 9410, 9000)
    assert incident_words(4, incident) == (
        "round 4: the budget of 9,000 tokens is used up (9,410 tokens used)"
    )
    assert incident_words(4, incident, "zh") == (
        "第 4 轮：预算已用完，上限 9,000 个 token，已用 9,410 个 token"
    )
    slow = Incident("tool_timeout", 31.0, 30.0, "web_search")
    assert incident_words(2, slow) == "round 2: web_search took 31.0 s; its limit is 30.0 s"
