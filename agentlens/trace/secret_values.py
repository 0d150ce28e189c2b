"""What the name and the value of a setting look like where it holds a secret.

Names of passwords need little of their values; names of keys and tokens a value with letters and
digits, since ``max_tokens=4096`` and ``api_key=settings.api_key`` are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = [
    "ABOUT",
    "OPEN_KEYS",
    "QUOTE",
    "WHO",
    "are_secrets",
    "is_password_name",
    "is_phrase",
    "is_secret_name",
    "is_secret_value",
]

#: A quotation mark, in JSON in JSON and in HTML too.
QUOTE = r"(?:\\{0,7}[\"'`]|&quot;|&#39;|&#x27;|%22)"
#: What stands beside a secret, in an object of secrets, and is none.
WHO = ("user", "username", "name", "id", "email", "host", "url")

#: Names that end like this say something of a key, and are none.
ABOUT = re.compile(
    r"(?i)(?:count|type|types|limit|url|uri|name|names|path|file|dir|length|len|size|usage|field"
    r"|label|prefix|format|index|budget|algorithm|version|ttl|expiry|expires|expires_?in|expires_?at"
    r"|rotation|policy|required|error|method|endpoint|arn|schema|columns?|map|ring|store|vault"
    r"|manager|provider|generator|validator|length)$"
)
#: What stands before ``key`` where that may be read by everybody, or opens nothing.
OPEN_KEYS = re.compile(
    r"(?i)(?:public|pub|primary|foreign|partition|sort|cache|row|idempotency|group|order|object"
    r"|lookup|join|unique|site|host|publishable)[ _.-]?$"
)
#: A name as a whole, such as a key of a JSON object.
_NAME = re.compile(
    r"(?i:passw|passphrase|pwd|secret|token|credential|authorization|[_-]key|apikey|accesskey"
    r"|accountkey|authkey|privatekey|^pass$|^pw$|[._-]pass$|[._-]pw$)|[a-z]Key"
)
_KEY = re.compile(r"(?:[_-]|(?<=[a-z]))[Kk](?:ey|EY)$")
#: Names under which all is secret that stands in a list or an object; ``tokens`` may be words.
_SEVERAL = re.compile(r"(?i)passw|passphrase|pwd|secret|credential|api_?key|access_?key")
#: Values that are no secrets, whatever their setting.
_NO_SECRET = frozenset(
    "none null nil true false undefined string str required optional redacted example password "
    "passwd secret token bearer basic changeme change_me placeholder test unset empty hidden "
    "masked invalid missing incorrect".split()
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[$<{%]|os\.|process\.|self\.|env[.\[]|your|my[_-]|x{3,}|\*{3,}|\.{3}|-+$|#|"
    r"(?:https?|file)://|\./|\.\./|~/)"
)
#: A path; a key in base64 may start with a slash too, and has capitals, digits and no words.
_PATH = re.compile(r"/(?:[a-z]{2,}|[^/]*\.[^/]*)(?:/[\w.@ -]*)*|/[\w.-]{1,24}(?:/[\w.-]{1,24})*")
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_CHAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_FILE = re.compile(
    r"(?i)\.(?:py|js|ts|json|ya?ml|toml|txt|md|pem|crt|cer|key|env|html?|php|go|rs)$"
)
#: Words of sentences about passwords; pass phrases are nouns.
_SENTENCE = re.compile(
    r"(?i)\b(?:passwords?|must|required|enter|your|the|is|are|invalid|wrong|should|least|may|not"
    r"|too|short|weak|match(?:es)?|do|does|has|with|characters?|string|of|for|to|and|or|if|please|optional|default|user'?s?)\b"
)


def is_secret_name(name: str) -> bool:
    """Say whether a setting of this name holds a secret."""
    if ABOUT.search(name) or not _NAME.search(name):
        return False
    key = _KEY.search(name)
    return not (key and OPEN_KEYS.search(name[: key.start()]))


def is_password_name(name: str) -> bool:
    """Say whether a secret of this name is a password, which may look like anything."""
    lower = name.lower()
    return "pass" in lower or "pwd" in lower or lower.endswith("pw")


def are_secrets(name: str, within: object) -> bool:
    """Say whether what a list or an object of this name holds are secrets.

    A schema describes a password; it has a ``type``, and none.
    """
    several = bool(_SEVERAL.search(name)) and is_secret_name(name)
    return several and not (isinstance(within, Mapping) and "type" in within)


def is_phrase(text: str) -> bool:
    """Say whether words in quotation marks after a password's name are a pass phrase.

    Messages and descriptions stand there too: ``"password": "must have 8 characters"``.
    """
    return 8 <= len(text) <= 100 and "  " not in text and not _SENTENCE.search(text)


def is_secret_value(
    value: str, *, strong: bool = False, short: bool = True, quoted: bool = False,
    constant: bool = False,
) -> bool:  # fmt: skip
    """Say whether the value of a secret's setting is a secret and not a word about one.

    Parameters
    ----------
    value
        The value.
    strong
        The setting is a password's, which may look like anything.
    short
        Eight characters may be enough; else sixteen are needed.
    quoted
        It stood in quotation marks, so it is no name of a variable.
    constant
        The setting's name is in capitals, as in an environment.
    """
    if value.lower() in _NO_SECRET or _PLACEHOLDER.match(value) or _FILE.search(value):
        return False
    if _CONSTANT.fullmatch(value):
        return False
    if value[0] == "/" and _PATH.fullmatch(value):
        return False
    if not quoted and _CHAIN.fullmatch(value) and not any(c.isdigit() for c in value):
        return False
    digit = any(c.isdigit() for c in value)
    letter = any(c.isalpha() for c in value)
    if strong:
        if quoted or constant:
            return len(value) >= 4
        return len(value) >= 6 and (digit or not value.replace("_", "").isalnum())
    if not value.isascii() or len(value) < (8 if short else 16):
        return False
    mixed = value.lower() != value and value.upper() != value
    return letter and (digit or (mixed and len(value) >= (20 if quoted else 24)))
