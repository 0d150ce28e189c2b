"""Near misses of the rules, and advice that the log itself shows: what almost stopped a run."""
