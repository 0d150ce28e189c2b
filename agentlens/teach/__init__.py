"""The lesson: what a bad result costs, and what a breaker changes of it. Arithmetic only."""
