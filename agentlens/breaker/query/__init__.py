"""The query rule: reworded searches scored once, counted under any threshold, live or replayed."""
