"""The guard: the same rules in a running loop, one round at a time."""
