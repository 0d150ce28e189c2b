"""Finalizes a task again and again until it is killed: ``finalize_forever.py FILE RESULTS``."""

from __future__ import annotations

import sys

from agentlens.breaker.budgets.amounts import Amounts, Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.machine import Machine
from agentlens.breaker.task.finalizer import Finalizer
from agentlens.breaker.task.goal import Goal, filled
from agentlens.breaker.task.ledger import Ledger
from agentlens.breaker.task.work import Work

path, size = sys.argv[1], int(sys.argv[2])
number = 0
while True:
    number += 1
    budget = Budget(Limits(steps=100, tokens=10**6))
    budget.spend(Amounts(steps=90, tokens=number))
    ledger = Ledger()
    ledger.begin("pay", {"amount": number}, key="k1")
    ledger.settle("key:k1", "done", f"receipt {number}")
    machine = Machine()
    machine.fire("hard_budget_hit", round=90)
    end = Finalizer(
        task="task-7", machine=machine, ledger=ledger, path=path, budget=budget,
        goal=Goal((filled("price", "supplier"),)),
    )  # fmt: skip
    rows = [f"{number}: {'结果' * 20} {k}" for k in range(size)]
    end.run(
        Work(rows, {"evidence": {"price": number}}, {"number": number, "last": rows[-1]}),
        summarise=lambda left, number=number: f"summary {number}",
    )
    if number == 1:
        print("ready", flush=True)
