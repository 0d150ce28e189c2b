"""Parts of the lesson that stand alone: the token lab."""

from __future__ import annotations

from agentlens.widgets.lesson import TriggerAmplifier

__all__ = ["TokenLab"]


class TokenLab(TriggerAmplifier):
    """Two queries pulled apart into tokens, by five tokenisers and four measures.

    Parameters
    ----------
    first, second
        The queries; the article's pair if left out.
    lang
        ``en`` or ``zh``.
    theme
        ``auto``, ``light`` or ``dark``.

    Examples
    --------
    >>> TokenLab("C++ 教程", "C# 教程")  # doctest: +SKIP
    """

    def __init__(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        lang: str = "en",
        theme: str = "auto",
    ) -> None:
        super().__init__(scene="lab", lang=lang, theme=theme)
        given = {"first": first, "second": second}
        typed = {name: text for name, text in given.items() if text is not None}
        if typed:
            self.set(**typed)
