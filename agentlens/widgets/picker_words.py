"""What the picker says, in English and Chinese: the templates of ``picker_words.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources

from agentlens.figures.words import LANGUAGES

__all__ = ["PICKER_WORDS"]

_TABLE = tomllib.loads(
    (resources.files("agentlens.widgets") / "picker_words.toml").read_text("utf-8")
)

#: For each language the templates by key.
PICKER_WORDS: Mapping[str, Mapping[str, str]] = {
    lang: {key: row[lang] for key, row in _TABLE.items()} for lang in LANGUAGES
}
