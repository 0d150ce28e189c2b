"""Scan: many sessions in a table, worst first."""
