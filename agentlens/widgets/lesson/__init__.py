"""The lesson: scenes, token lab, incident view."""
