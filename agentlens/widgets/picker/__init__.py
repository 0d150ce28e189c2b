"""The Picker: a setting for many runs."""
