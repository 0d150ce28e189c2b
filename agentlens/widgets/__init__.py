"""Floor 6: the notebook widgets."""
