"""Floor 1, what happened: the trace model and the readers of agents' logs."""
