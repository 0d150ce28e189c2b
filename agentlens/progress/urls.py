"""URLs: find them in a result, and say when two of them are the same page.

The standard library is enough here: of the rules below, ready-made normalisers (w3lib,
url-normalize) cover the sorting of the query and the IDNA host, and leave scheme, ``www.``,
trailing slash and the list of tracking parameters to their user. Nothing is ever fetched.
"""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urlsplit

from agentlens.errors import PolicyError

__all__ = ["MODES", "canonical", "find_urls"]

MODES: Final = ("off", "basic", "strict")

_LONGEST = 2048  # the usual limit of browsers and crawlers; a longer one is cut there

# A character of a URL: printable ASCII without the quotes and brackets that surround one, or a
# run of non-ASCII letters where a new part begins (.../wiki/北京), so that prose glued behind a
# URL (.../page是什么) does not become part of it. "](" ends the text half of a Markdown link.
_URL = re.compile(
    r"(?:https?://|(?<![\w.@/-])www\.(?=[\w-]+\.))"
    r"(?:(?!\]\(|&(?:quot|lt|gt|apos|#39);)[!#-&(-;=?-\[\]_a-z~]"
    rf"|(?<=[/=_.:&?-])[^\W\x00-\x7f]{{1,200}}){{1,{_LONGEST}}}",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?*_~&|"
_BRACKETS = {")": "(", "]": "["}

# Parameters that say where a visitor came from, and never which page it is.
_TRACKING = re.compile(
    r"(?:utm_\w+|(?:g|fb|ms|tw|yc|dc|gb|wb)clid|wbraid|gbraid|_ga|_gl|mc_[ce]id|igshid|igsh"
    r"|spm|scm|from_source|share_source|share_medium|share_token|vd_source|ref_src|ref_url"
    r"|_hs(?:enc|mi)|mkt_tok|oly_(?:anon|enc)_id|vero_id|wickedid|srsltid|hsctatracking"
    r"|bd_vid|qz_gdt|wt[._]mc(?:_id)?|at_(?:medium|campaign)|cmpid|ncid)",
    re.IGNORECASE,
)
_SESSION = re.compile(r"(?:phpsessid|jsessionid|aspsessionid\w*|sid|session_?id)", re.IGNORECASE)
_DEFAULT_PORT = {"http": 80, "https": 443}
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)\Z", re.IGNORECASE)
_SAFE = "!$&'()*+,;=:@/~-._%"


def find_urls(text: object) -> list[str]:
    r"""Return the URLs in a text in order of appearance, repeated ones included.

    Parameters
    ----------
    text
        Any text: prose, Markdown, HTML or JSON (``\/`` and ``&amp;`` are undone). Anything that
        is not a string holds no URL.

    Notes
    -----
    Work is linear in the length of the text. Trailing punctuation, brackets that were opened
    before the URL and Chinese punctuation are not part of it.
    """
    if not isinstance(text, str) or not text:
        return []
    if "\\" in text:
        text = text.replace("\\/", "/").replace("\\u0026", "&").replace("\\u003d", "=")
    if "://" not in text and "www." not in text.lower():
        return []  # most results hold none, and looking at every character takes long
    found = []
    for match in _URL.finditer(text):
        url = _trim(match.group().replace("&amp;", "&"))
        if len(url) > len("https://"):
            found.append(url)
    return found


def _trim(url: str) -> str:
    """Cut what a sentence or its brackets put behind a URL."""
    while url:
        last = url[-1]
        opener = _BRACKETS.get(last)
        if last in _TRAILING or (opener and url.count(opener) < url.count(last)) or last in "[(":
            url = url[:-1]
        else:
            break
    return url


def canonical(url: str, mode: str = "basic") -> str:
    """Return the form in which two URLs of the same page are equal.

    Parameters
    ----------
    url
        With or without scheme.
    mode
        ``off``: unchanged, but for surrounding white space. ``basic`` (the default): scheme, user
        name, leading ``www.``, default port, fragment, tracking parameters and trailing slash
        removed; host in lower-case IDNA; percent escapes in one spelling; query sorted.
        ``strict``: also dot segments and doubled slashes resolved, ``index.html`` and its like
        removed, ``m.``, ``mobile.`` and ``amp.`` hosts merged, empty and session parameters
        removed. Each mode merges more URLs than the one before.

    Raises
    ------
    PolicyError
        If `mode` is none of `MODES`. A text that is no URL is returned stripped, never an error.

    Examples
    --------
    >>> canonical("https://www.Example.com:443/a/?utm_source=x&b=1#top")
    'example.com/a?b=1'
    """
    if mode not in MODES:
        raise PolicyError(f"url mode {mode!r} is none of {', '.join(MODES)}")
    url = url.strip()
    return url if mode == "off" else _canonical(url[:_LONGEST], mode == "strict")


@lru_cache(maxsize=8192)
def _canonical(url: str, strict: bool) -> str:
    try:
        parts = urlsplit(url if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", url) else "//" + url)
        host = _host(parts, strict)
    except ValueError:  # a broken port or IPv6 address: leave the text as it is
        return url
    if not host:
        return url
    path = _escape(parts.path)
    if strict:
        path = _INDEX.sub("/", _resolve(path))
    path = path.rstrip("/")
    kept = []
    for item in parts.query.split("&"):
        name, _, value = item.partition("=")
        dropped = _TRACKING.fullmatch(name) or (
            strict and (not value or _SESSION.fullmatch(name) is not None)
        )
        if item and not dropped:
            kept.append(_escape(item))
    query = "&".join(sorted(kept))
    return f"{host}{path}?{query}" if query else f"{host}{path}"


def _host(parts: SplitResult, strict: bool) -> str:
    """Return host and, unless it is the default, port."""
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii() and len(host) <= 253:
        with contextlib.suppress(UnicodeError):  # no legal name: compare it as it is
            host = host.encode("idna").decode("ascii")
    host = host.removeprefix("www.") if host.count(".") > 1 else host
    if strict and host.count(".") > 1:
        host = re.sub(r"\A(?:m|mobile|amp)\.", "", host)
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    # Without a scheme, 80 and 443 are still nobody's choice of a special port.
    default = {_DEFAULT_PORT.get(parts.scheme)} if parts.scheme else {80, 443}
    return host if port is None or port in default else f"{host}:{port}"


def _escape(part: str) -> str:
    """Spell percent escapes in one way: what needs none has none, the rest is upper case."""
    if part.isascii() and "%" not in part:
        return part
    # Escapes of reserved characters carry meaning (%2F is not "/"): they stay escapes.
    held = re.sub(r"%(2[0-9a-fA-F]|3[a-fA-F]|40|5[bBdD]|[01][0-9a-fA-F]|7[fF])", r"%25\1", part)
    text = unquote(held, errors="strict") if _decodes(held) else part
    text = quote(text, safe=_SAFE, errors="replace")
    return re.sub(r"%[0-9a-fA-F]{2}", lambda m: m.group().upper(), text)


def _decodes(part: str) -> bool:
    try:
        unquote(part, errors="strict")
    except UnicodeDecodeError:
        return False
    return True


def _resolve(path: str) -> str:
    """Resolve dot segments and doubled slashes (RFC 3986, 5.2.4)."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in {"", "."}:
            kept.append(part)
    return "/" + "/".join(kept) + ("/" if path.endswith("/") and kept else "")
