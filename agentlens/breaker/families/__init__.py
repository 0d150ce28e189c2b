"""The rule families: what agents' loop rules have in common, as steppers that data configures."""
