"""Floor 4, which setting: the exact trip surface."""
