"""Floor 2, did it move: tokens, similarity, clusters, URLs and results of a trace."""
