"""What is said in English and Chinese: tables of templates, and those of pictures and the stage.

The stage fills the templates of ``words.toml`` in the browser (`widgets/js/words.js`), so that both
say the same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from agentlens.breaker.words import LANGUAGES

__all__ = ["LANGUAGES", "WORDS", "fill", "load_words", "say"]

_HOLE = re.compile(r"\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}")


def load_words(package: str, file: str = "words.toml") -> dict[str, dict[str, str]]:
    """Read a table of templates, where each key holds its text in every language.

    Parameters
    ----------
    package
        Dotted name of the package that holds the file.
    file
        Name of the file.

    Returns
    -------
    dict of str to dict
        For each of `LANGUAGES` the templates by key.
    """
    table = tomllib.loads((resources.files(package) / file).read_text("utf-8"))
    return {lang: {key: row[lang] for key, row in table.items()} for lang in LANGUAGES}


#: For each language the templates of pictures and the stage by key.
WORDS = load_words("agentlens.figures")


def say(lang: str, key: str, **values: Any) -> str:
    """Fill a template.

    Parameters
    ----------
    lang
        One of `LANGUAGES`.
    key
        Name of the template.
    values
        What its holes hold; whole numbers are grouped by thousands.

    Examples
    --------
    >>> say("en", "rounds", n=1), say("en", "rounds", n=9698), say("zh", "rounds", n=3)
    ('1 round', '9,698 rounds', '3 轮')
    """
    return fill(WORDS[lang][key], values)


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Fill the holes of one template."""

    def filled(hole: re.Match[str]) -> str:
        name, one, many = hole.groups()
        value = values.get(name)
        if one is not None:
            return str(one if value == 1 else many)
        if isinstance(value, int):
            return f"{value:,}"
        return "" if value is None else str(value)

    return _HOLE.sub(filled, template)
