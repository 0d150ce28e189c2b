"""Tokens that say what they are: how the keys look that services issue.

Each kind starts with, or holds, text that is fixed. A text without it is not searched; in one
with it a pattern starts at that text and runs over one class of characters up to a bound, so that
the time is linear. Formats are those that issuers publish for secret scanning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

__all__ = ["RULES", "Rule", "start"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of secrets.

    Parameters
    ----------
    kind
        What a secret is called in its placeholder.
    needles
        A text that holds none of these holds no such secret.
    pattern
        What it looks like. Group ``s``, where there is one, is what is masked.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: str

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern, compiled when it is first needed."""
        return _compiled(self.pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def start(fixed: str) -> str:
    r"""Return a pattern of a fixed text where a word begins.

    A letter may stand before it that is part of an escape: ``\n``, ``%3D``, the end of a colour's
    sequence. The check comes after the text, so that the search is one for plain text.
    """
    text = re.escape(fixed)
    return (
        rf"{text}(?:(?<![A-Za-z0-9]{text})|(?<=\\[nrtbf]{text})|(?<=%[0-9A-Fa-f]{{2}}{text})"
        rf"|(?<=\\u[0-9A-Fa-f]{{4}}{text})|(?<=[0-9]m{text}))"
    )


_WORD, _URL, _HEX = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]"

#: What a token starts with, and what follows.
_STARTS: tuple[tuple[str, str], ...] = (
    # models and their hosts
    *((p, _URL + "{16,300}") for p in ("sk-", "pplx-", "tvly-", "gsk_", "xai-", "fw_", "r8_")),
    ("hf_", _WORD + "{20,64}"),
    ("AIza", _URL + "{30,50}"),
    ("ya29.", _URL + "{20,400}"),
    ("GOCSPX-", _URL + "{20,40}"),
    ("lsv2_", "[A-Za-z0-9_]{20,100}"),
    ("pcsk_", "[A-Za-z0-9_]{30,100}"),
    # code hosts and package registries
    *((f"gh{c}_", _WORD + "{20,255}") for c in "pousr"),
    ("github_pat_", "[A-Za-z0-9_]{20,255}"),
    *((f"gl{p}-", "[A-Za-z0-9_.-]{16,100}") for p in
      ("pat", "dt", "ptt", "rt", "rtr", "cbt", "ft", "soat", "agent", "oas", "ffct", "imt")),
    ("GR1348941", _URL + "{16,40}"),
    ("npm_", _WORD + "{30,64}"),
    ("pypi-", _URL + "{30,400}"),
    ("rubygems_", _HEX + "{30,64}"),
    ("dckr_pat_", _URL + "{20,64}"),
    ("CLOJARS_", _WORD + "{40,80}"),
    ("AKCp", _WORD + "{50,100}"),
    ("cmVmd", _WORD + "{50,80}"),
    ("ATATT3", "[A-Za-z0-9_=-]{50,300}"),
    ("ATBB", _WORD + "{24,60}"),
    ("figd_", _URL + "{30,60}"),
    ("lin_api_", _WORD + "{30,60}"),
    ("ntn_", _WORD + "{30,60}"),
    ("secret_", _WORD + "{40,60}"),
    # clouds and infrastructure
    *((p, r"[A-Z0-9]{16}(?![A-Za-z0-9])") for p in ("AKIA", "ASIA", "ABIA", "ACCA")),
    ("LTAI", _WORD + "{12,24}"),
    ("dapi", _HEX + r"{32}(?:-\d)?"),
    *((f"do{c}_v1_", _HEX + "{32,80}") for c in "por"),
    *((f"hv{c}.", _URL + "{20,400}") for c in "sbr"),
    ("dp.", r"(?:pt|ct|st|scim|audit|sa)\.[A-Za-z0-9_.-]{20,100}"),
    ("glsa_", "[A-Za-z0-9_]{30,60}"),
    ("glc_", "[A-Za-z0-9+/=]{30,400}"),
    ("dt0", r"[a-z][0-9]{2}\.[A-Z0-9]{20,30}\.[A-Z0-9]{40,80}"),
    ("NRAK-", "[A-Z0-9]{20,40}"),
    ("NRJS-", "[a-f0-9]{19,40}"),
    ("NRII-", _URL + "{30,40}"),
    ("PMAK-", "[A-Za-z0-9-]{30,100}"),
    ("PMAT-", "[A-Z0-9]{20,40}"),
    ("pul-", _HEX + "{40}"),
    *((f"pscale_{p}_", "[A-Za-z0-9_.=-]{30,64}") for p in ("pw", "tkn", "oauth")),
    *((f"sntry{c}_", "[A-Za-z0-9_+/=-]{40,300}") for c in "su"),
    ("HRKU-", _URL + "{30,80}"),
    ("FlyV1 ", "[A-Za-z0-9_,+/=-]{40,600}"),
    ("fo1_", _URL + "{40,60}"),
    ("sbp_", _HEX + "{40}"),
    ("vcp_", _WORD + "{24,80}"),
    ("ops_eyJ", "[A-Za-z0-9+/=_-]{100,2000}"),
    ("AGE-SECRET-KEY-1", "[A-Z0-9]{50,64}"),
    ("p8e-", "[A-Za-z0-9]{32}"),
    ("v1.0-", _HEX + "{24}-" + _HEX + "{146}"),
    # messages and money
    *((f"xox{c}", r"[a-z0-9.]{0,4}-[A-Za-z0-9-]{10,300}") for c in "abceoprsd"),
    ("xapp-", "[A-Za-z0-9-]{20,200}"),
    *((f"{a}_{b}_", _WORD + "{16,200}") for a in ("sk", "rk", "pk") for b in
      ("live", "test", "prod")),
    ("whsec_", "[A-Za-z0-9+/=]{24,80}"),
    ("SG.", r"[A-Za-z0-9_-]{16,80}\.[A-Za-z0-9_-]{16,80}"),
    ("key-", _HEX + "{32}(?![0-9a-f])"),
    *((p, _HEX + "{32}(?![0-9a-fA-F])") for p in ("SK", "shpat_", "shpca_", "shppa_", "shpss_")),
    ("sq0", r"[a-z]{3}-[A-Za-z0-9_-]{20,60}"),
    ("EAAA", _URL + "{50,80}"),
    ("EAA", r"[A-Za-z0-9]{90,300}"),
    ("xkeysib-", _HEX + "{64}-[A-Za-z0-9]{16}"),
    ("pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
)  # fmt: skip


def _rules() -> Iterator[Rule]:
    yield Rule(
        "private-key",
        ("PRIVATE KEY",),
        # whole up to its end; where that is cut off, as far as it looks like a key
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:"
        r"(?:[^-]|-(?!----)){1,20000}-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s\\]{1,20000})",
    )
    for fixed, tail in _STARTS:
        yield Rule("api-key", (fixed,), start(fixed) + tail)
    # one start a run, or a text of many starts would be read again and again
    once = rf"{start('eyJ')}(?<![A-Za-z0-9_-]{{2}}eyJ)"
    part = r"[A-Za-z0-9_-]"
    yield Rule("jwt", ("eyJ",), rf"{once}{part}{{8,4000}}\.eyJ{part}{{4,8000}}\.{part}{{4,4000}}")
    edge, end = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))", r"(?![A-Za-z0-9_-])"
    yield Rule("api-key", ("hooks.slack.com/",), r"hooks\.slack\.com/(?P<s>[A-Za-z0-9/_-]{20,120})")
    yield Rule(
        "api-key",
        ("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
        r"/api/webhooks/(?P<s>[0-9]{15,22}/[A-Za-z0-9_-]{40,100})",
    )
    yield Rule("api-key", ("-us",), r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}" + end)
    yield Rule("api-key", (":AA",), r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}" + end)
    yield Rule("api-key", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,100}")
    # of a Discord bot: its number in base64, a time, a signature
    yield Rule(
        "api-key",
        (".",),
        edge + r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}" + end,
    )
    yield Rule("api-key", ("Q~",), r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}")


#: Every kind, the most specific first.
RULES: tuple[Rule, ...] = tuple(_rules())
