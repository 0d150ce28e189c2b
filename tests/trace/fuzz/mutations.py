"""Damaged logs, made from seeds and numbers: the same number gives the same bytes again."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Values that stand where another was expected.
WRONG: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**25, -(2**63), 2**64, 0.5, 1e308, -1e308, float("nan"),
    float("inf"), "", "x", "\ud83d", "\x00", "a" * 5000, "{'a': [", '{"a": 1}', "[1, 2", [], {},
    [[]], [{}], {"a": {"b": None}}, {"type": []}, "2026-01-01T00:00:00Z", "9999-99-99T99:99:99Z",
    "0001-01-01T00:00:00+23:59", 1e18, "NaN", "-5", "1e400", [None] * 50,
)  # fmt: skip
#: Bytes that are put in between.
NASTY = (
    b"\x00", b"\xff\xfe", b"\xc3", b"\xed\xa0\xbd", b"\\ud83d", b"\\u0000", b"\xef\xbb\xbf", b"\r",
    b"\n", b"\n\n", b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"NaN", b"-Infinity",
    b"1e99999", b"9" * 5000, b"[" * 3000, b'{"a":' * 1500, b"null", b"\xf4\x90\x80\x80",
    b"\x1f\x8b",
    b"PK\x03\x04", b"<tool_call>", b"```python\n", b"*/ tools.f({", b"=" * 3000, b"'" * 3000,
    b"<a>" * 1000, b"\\n" * 1500, b"<tool_call>" * 20_000, b"a " * 100_000, b"[ " * 100_000,
)  # fmt: skip
#: Bytes that damage may add: beyond that a reader that is only slow could not be told from one
#: that hangs.
MOST = 1 << 20
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')


@dataclass(frozen=True)
class Seed:
    """A sound log: the format it is in, its bytes, and its value where it is JSON."""

    format: str
    data: bytes
    value: Any = None
    lines: bool = False


@dataclass(frozen=True)
class Input:
    """A damaged log, the format it is read as (None: sniffed), and how it came about."""

    data: bytes
    format: str | None
    story: str


def _span(data: bytes, dice: random.Random, most: int = 400) -> tuple[int, int]:
    at = dice.randrange(len(data) + 1)
    return at, min(len(data), at + dice.randrange(1, most))


def _flip(data: bytes, dice: random.Random, _: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 8, 40)) if out else 0):
        out[dice.randrange(len(out))] ^= 1 << dice.randrange(8)
    return bytes(out)


def _delete(data: bytes, dice: random.Random, _: bytes) -> bytes:
    start, stop = _span(data, dice, dice.choice((2, 40, 4000)))
    return data[:start] + data[stop:]


def _duplicate(data: bytes, dice: random.Random, _: bytes) -> bytes:
    start, stop = _span(data, dice, dice.choice((2, 40, 4000)))
    return data[:stop] + data[start:stop] * dice.choice((1, 1, 2, 50)) + data[stop:]


def _insert(data: bytes, dice: random.Random, _: bytes) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(NASTY) + data[at:]


def _overwrite(data: bytes, dice: random.Random, _: bytes) -> bytes:
    start, stop = _span(data, dice, 40)
    return data[:start] + dice.choice((b"\x00", b"\xff", b" ")) * (stop - start) + data[stop:]


def _truncate(data: bytes, dice: random.Random, _: bytes) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _splice(data: bytes, dice: random.Random, other: bytes) -> bytes:
    return data[: dice.randrange(len(data) + 1)] + other[dice.randrange(len(other) + 1) :]


def _swap_tokens(data: bytes, dice: random.Random, _: bytes) -> bytes:
    tokens = [m.span() for m in _TOKEN.finditer(data)]
    if len(tokens) < 2:
        return data
    (a, b), (c, d) = sorted(dice.sample(tokens, 2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _wrong_token(data: bytes, dice: random.Random, _: bytes) -> bytes:
    tokens = [m.span() for m in _TOKEN.finditer(data)]
    for start, stop in sorted(dice.sample(tokens, min(len(tokens), 3)), reverse=True):
        data = data[:start] + json.dumps(dice.choice(WRONG)).encode() + data[stop:]
    return data


BYTES: tuple[Callable[[bytes, random.Random, bytes], bytes], ...] = (
    _flip, _delete, _duplicate, _insert, _overwrite, _truncate, _splice, _swap_tokens, _wrong_token,
)  # fmt: skip


@dataclass
class _Damage:
    """Damages a value; what is put in or repeated has to find room, or inputs grow without end."""

    dice: random.Random
    chance: float
    graft: Any
    room: int = MOST

    def of(self, value: Any) -> Any:
        """Return a value with parts of it replaced, dropped, doubled, renamed or made deep."""
        dice, chance = self.dice, self.chance
        if dice.random() < chance:
            what = dice.random()
            if what < 0.1:
                return self.graft if self._fits(self.graft) else None
            if what < 0.15:
                return _deep(dice, value)
            return copy.deepcopy(dice.choice(WRONG))
        if isinstance(value, dict):
            made = {k: self.of(v) for k, v in value.items() if dice.random() > chance / 2}
            if len(made) > 1 and dice.random() < chance:
                a, b = dice.sample(list(made), 2)
                made[a], made[b] = made[b], made[a]
            return made
        if isinstance(value, list):
            items = [self.of(v) for v in value if dice.random() > chance / 2]
            if dice.random() < chance:
                dice.shuffle(items)
            times = dice.choice((2, 2, 2, 30)) if dice.random() < chance else 1
            return items * times if times > 1 and self._fits(items, times - 1) else items
        return self._text(value) if isinstance(value, str) else value

    def _fits(self, value: Any, times: int = 1) -> bool:
        size = _weight(value, self.room) * times
        if size > self.room:
            return False
        self.room -= size
        return True

    def _text(self, text: str) -> str:
        dice = self.dice
        if text[:1] in ("[", "{") and dice.random() < 0.3:
            try:
                return json.dumps(self.of(json.loads(text)))
            except (ValueError, RecursionError):
                return text
        if text and dice.random() < self.chance:
            at, times = dice.randrange(len(text)), dice.choice((2, 300))
            longer = text * times if self._fits(text, times - 1) else text
            return dice.choice((text[:at], text[at:], longer, text[:at] + "\ud83d" + text[at:]))
        return text


def _weight(value: Any, most: int) -> int:
    """Return about how many characters a value takes as JSON; counting ends above `most`."""
    left, size = [value], 0
    while left and size <= most:
        each = left.pop()
        size += 8
        if isinstance(each, dict):
            left += each.values()
            size += 12 * len(each)
        elif isinstance(each, list):
            left += each
        elif isinstance(each, str):
            size += len(each)
    return size


def _deep(dice: random.Random, value: Any) -> Any:
    for _ in range(dice.choice((30, 150, 250, 900))):
        value = [value] if dice.random() < 0.5 else {"content": value}
    return value


def _dumped(value: Any, lines: bool, dice: random.Random) -> bytes:
    try:
        if lines and isinstance(value, list):
            text = "".join(json.dumps(item) + "\n" for item in value)
        else:
            indent = dice.choice((None, None, 1))  # what is deep and indented grows too far
            text = json.dumps(value, indent=indent if _weight(value, MOST) < MOST / 8 else None)
    except RecursionError:
        return b"[" * 5000
    return text.encode("utf-8", "surrogatepass")


def _repacked(data: bytes, dice: random.Random) -> bytes:
    """Return a ZIP whose members were damaged, but which itself is sound."""
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                member = old.read(name)
                if dice.random() < 0.5:
                    value = _Damage(dice, dice.choice((0.005, 0.05)), {}).of(json.loads(member))
                    member = _dumped(value, False, dice)
                new.writestr(zipfile.ZipInfo(name), member)  # at no time: made again, the same
    except NotImplementedError:  # Zstandard, which Python 3.11 does not unpack
        return data
    return out.getvalue()


def make(seeds: dict[str, list[Seed]], seed: int, number: int) -> Input:
    """Return the damaged log of a number: any format, any of its seeds, one to three mutations."""
    dice = random.Random(f"{seed}/{number}")
    names = sorted(seeds)
    mine = dice.choice(seeds[dice.choice(names)])
    other = dice.choice(seeds[dice.choice(names)])
    data, story = mine.data, mine.format
    if mine.value is not None and dice.random() < 0.55:
        value = mine.value
        if isinstance(value, list) and len(value) > 12 and dice.random() < 0.7:
            start = dice.randrange(len(value) - 5)
            value = value[start : start + dice.randrange(2, 12)]
        if isinstance(value, list) and value and dice.random() < 0.02:  # for what grows too fast
            most = 2 * MOST // len(mine.data) * len(mine.value) // len(value)
            value = value * max(1, min(most, 2000 // len(value) + 1))
        graft = other.value[0] if isinstance(other.value, list) and other.value else other.value
        value = _Damage(dice, dice.choice((0.003, 0.02, 0.1)), graft).of(value)
        data, story = _dumped(value, mine.lines, dice), f"{story} values"
    elif data.startswith(b"PK") and dice.random() < 0.6:
        data, story = _repacked(data, dice), f"{story} members"
    if story == mine.format or dice.random() < 0.3:
        for _ in range(dice.choice((1, 1, 2, 3))):
            mutation = dice.choice(BYTES)
            data = mutation(data, dice, other.data)
            story += mutation.__name__.replace("_", " ")
    wrapped = dice.random()
    if wrapped < 0.04:
        data, story = gzip.compress(data, 1, mtime=0), f"{story}, packed"
        if dice.random() < 0.5:
            data = dice.choice(BYTES)(data, dice, other.data)
    elif wrapped < 0.06:
        data, story = data.decode("utf-8", "replace").encode("utf-16"), f"{story}, UTF-16"
    named = dice.random()
    format = mine.format if named < 0.25 else dice.choice(names) if named < 0.35 else None
    return Input(data, format, story)
