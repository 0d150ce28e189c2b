"""Floor 3, when must it stop: policies, the machine, and their replay over a trace."""
