"""Two runs side by side: which calls they share, where they part, where each would have stopped."""
