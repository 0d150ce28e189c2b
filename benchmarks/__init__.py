"""Measurements of agentlens beside its peers; `python -m benchmarks` prints them."""
