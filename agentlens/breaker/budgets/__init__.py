"""Hard budgets: what is counted, where it ends, and what sub-agents share of it."""
