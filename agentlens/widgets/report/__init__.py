"""The report: one page that needs no kernel and no network."""
