r"""One spelling for equal JSON values: RFC 8785 (JCS), made total.

Two arguments are equal where their values are, whatever the order of keys, the spelling of a
number or the escapes in a text. RFC 8785 leaves three things out, which logs do hold; here each
has a spelling of its own, so that nothing fails and unequal values stay unequal:

* integers beyond ±(2^53 - 1) keep all their digits: they are ids, and rounding would merge them;
* ``NaN``, ``Infinity`` and ``-Infinity`` are written so, as JavaScript names them;
* half of a surrogate pair is written as its escape, ``\ud83d``.

orjson writes JCS already wherever a value has neither floats nor keys or integers out of its
range; the rest is written here. (The package ``rfc8785`` takes about 100 µs for one call's
arguments, and raises on all three.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import orjson

__all__ = ["canonical"]

_MAX_DEPTH = 200
_SAFE = 2**53 - 1


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of a value as UTF-8; never raises.

    Parameters
    ----------
    value
        Anything that JSON can hold. A tuple counts as a list, a key that is no text as its text;
        an object of any other kind as its ``repr``. Below 200 levels a value is ``"…"``.

    Examples
    --------
    >>> canonical({"b": 1.0, "a": [True, None, "é"]}).decode()
    '{"a":[true,null,"é"],"b":1}'
    >>> canonical([1e21, 5e-7, -0.0, 2**60]).decode()
    '[1e+21,5e-7,0,1152921504606846976]'
    """
    if _is_easy(value, 0):
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        except orjson.JSONEncodeError:  # lone surrogates
            pass
    out: list[str] = []
    _write(value, out, 0)
    return "".join(out).encode("utf-8", "backslashreplace")


def _is_easy(value: Any, depth: int) -> bool:
    """Say whether orjson writes a value as JCS asks."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return bool(-_SAFE <= value <= _SAFE)
    if depth >= 100:  # orjson itself allows 254
        return False
    if kind is dict:
        # Text beyond the first plane sorts otherwise in UTF-16 than in UTF-8.
        return all(
            type(k) is str and (k.isascii() or max(k) < "\ud800") and _is_easy(v, depth + 1)
            for k, v in value.items()
        )
    return kind is list and all(_is_easy(item, depth + 1) for item in value)


def _write(value: Any, out: list[str], depth: int) -> None:
    if value is None or isinstance(value, bool):
        out.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, str):
        out.append(_text(value))
    elif isinstance(value, int):
        out.append(_integer(value))
    elif isinstance(value, float):
        out.append(_float(value))
    elif depth >= _MAX_DEPTH:
        out.append('"…"')
    elif isinstance(value, Mapping):
        items = {k if isinstance(k, str) else _key(k): v for k, v in value.items()}
        mark = "{"
        for key in sorted(items, key=_utf16):
            out.extend((mark, _text(key), ":"))
            _write(items[key], out, depth + 1)
            mark = ","
        out.append("}" if items else "{}")
    elif isinstance(value, list | tuple):
        mark = "["
        for item in value:
            out.append(mark)
            _write(item, out, depth + 1)
            mark = ","
        out.append("]" if value else "[]")
    else:
        out.append(_text(_shown(value)))


def _utf16(key: str) -> bytes:
    """Return what RFC 8785, 3.2.3, sorts keys by."""
    return key.encode("utf-16-be", "surrogatepass")


def _key(key: Any) -> str:
    out: list[str] = []
    _write(key, out, _MAX_DEPTH)
    return "".join(out).strip('"')


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # an object of the caller's own making
        return f"<{type(value).__name__}>"


def _text(text: str) -> str:
    """Return a text with RFC 8785's escapes (3.2.2.2): those that JSON demands, the shortest."""
    try:
        return orjson.dumps(text).decode()
    except orjson.JSONEncodeError:  # halves of surrogate pairs stay, to be escaped at the end
        return '"' + "".join(c if "\ud800" <= c <= "\udfff" else _text(c)[1:-1] for c in text) + '"'


def _integer(value: int) -> str:
    # Python refuses to print more than 4,300 digits.
    return str(value) if value.bit_length() < 4000 else hex(value)


def _float(value: float) -> str:
    """Return a number as ECMAScript writes it (ECMA-262, Number::toString)."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)  # places before the decimal point
    digits = whole + fraction
    lead = len(digits) - len(digits.lstrip("0"))
    digits, point = digits[lead:].rstrip("0"), point - lead
    size = len(digits)
    if size <= point <= 21:
        text = digits + "0" * (point - size)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        power = point - 1
        rest = f".{digits[1:]}" if size > 1 else ""
        text = f"{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"
    return sign + text
