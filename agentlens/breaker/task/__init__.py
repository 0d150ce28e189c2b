"""A task from its goal to its safe stop: replanning, sub-agents, ledger, finalizer."""
