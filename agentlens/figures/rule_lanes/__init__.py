"""Lanes: every rule and every preset over one run, side by side, as a figure and as a page."""
