"""The Lens: one trace, its stage, its inspector and its controls."""
