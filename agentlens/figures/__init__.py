"""Floor 5: pure functions from a replay or a surface to a plotly figure; one theme."""
