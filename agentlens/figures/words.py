"""What pictures and the stage say, in English and Chinese: the templates of ``words.toml``.

The stage fills the same templates in the browser (`widgets/js/words.js`), so that both say the
same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

__all__ = ["LANGUAGES", "WORDS", "fill", "say"]

LANGUAGES = ("en", "zh")

_HOLE = re.compile(r"\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}")
_TABLE = tomllib.loads((resources.files("agentlens.figures") / "words.toml").read_text("utf-8"))

#: For each language the templates by key.
WORDS: dict[str, dict[str, str]] = {
    lang: {key: row[lang] for key, row in _TABLE.items()} for lang in LANGUAGES
}


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
