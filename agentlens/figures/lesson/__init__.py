"""The scenes of the lesson: pure functions from a few values to a page fragment, in two languages.

`agentlens.figures.lesson.scenes.SCENES` holds them by name. All that they say is in ``en.toml`` and
``zh.toml``.
"""
