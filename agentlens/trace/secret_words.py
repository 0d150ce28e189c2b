"""What was masked, in a few words: ``3 API keys, 1 e-mail address``."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["secret_words"]

#: For each kind its name: one, several, in Chinese.
_KINDS: dict[str, tuple[str, str, str]] = {
    "private-key": ("private key", "private keys", "个私钥"),
    "jwt": ("JWT", "JWTs", "个 JWT"),
    "api-key": ("API key", "API keys", "个 API 密钥"),
    "token": ("token", "tokens", "个令牌"),
    "password": ("password in an address", "passwords in addresses", "个地址中的密码"),
    "secret": ("value of a secret setting", "values of secret settings", "个机密设置的值"),
    "email": ("e-mail address", "e-mail addresses", "个电子邮箱"),
    "user": ("name of a home folder", "names of home folders", "个用户目录名"),
}


def secret_words(secrets: Mapping[str, int], lang: str = "en") -> str:
    """Say how many different secrets of each kind there are; nothing where there is none.

    Parameters
    ----------
    secrets
        For each kind how many, such as `Redactor.secrets`.
    lang
        ``en`` or ``zh``.

    Examples
    --------
    >>> secret_words({"email": 1, "api-key": 3})
    '3 API keys, 1 e-mail address'
    """
    said = []
    for kind, (one, several, chinese) in _KINDS.items():
        number = secrets.get(kind, 0)
        if number and lang == "zh":
            said.append(f"{number} {chinese}")
        elif number:
            said.append(f"{number:,} {one if number == 1 else several}")
    return ("、" if lang == "zh" else ", ").join(said)
