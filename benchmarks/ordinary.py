"""Ordinary strings of traces: what a masker of secrets must leave alone."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["KINDS", "ordinary"]

_ROOT = Path(__file__).resolve().parents[1]
_WORDS = """
agent run tool search result weather parser index token cache config layer vector query cluster
north river market policy score table reader writer window branch commit deploy release build
""".split()
_CHINESE = (
    "北京天气怎么样今天下雨吗明天会议资料密码忘记了怎么办"
    "令牌桶算法接口返回错误检查配置文件重新运行测试"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def _id(dice: random.Random, size: int, letters: str = _LETTERS) -> str:
    return "".join(dice.choices(letters, k=size))


def _hex(dice: random.Random, size: int) -> str:
    return _id(dice, size, "0123456789abcdef")


def _uuid(dice: random.Random) -> str:
    return str(uuid.UUID(int=dice.getrandbits(128), version=4))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _word(dice: random.Random) -> str:
    return dice.choice(_WORDS)


def _path(dice: random.Random) -> str:
    parts = [_word(dice) for _ in range(dice.randrange(2, 6))]
    end = dice.choice((".py", ".ts", ".json", ".md", "", ".tar.gz", "@2x.png"))
    start = dice.choice(("/usr/lib/", "./", "src/", "/app/", "C:\\Program Files\\", "../", "~/"))
    return start + "/".join(parts) + end


def _sentence(dice: random.Random) -> str:
    words = [_word(dice) for _ in range(dice.randrange(5, 16))]
    return " ".join(words).capitalize() + dice.choice(".!?")


def _about(dice: random.Random) -> str:
    """Return a sentence or a line of code that speaks of secrets without showing one."""
    return dice.choice(
        (
            "The password must have at least 12 characters.",
            "Set the OPENAI_API_KEY environment variable before running.",
            "api_key = os.environ['OPENAI_API_KEY']",
            'password = getpass.getpass("Password: ")',
            "secret_key: str | None = None",
            "token = tokenizer.next_token()",
            "if password != confirm_password: raise ValueError",
            f"max_tokens={dice.randrange(10_000)}, temperature=0.7",
            f'"usage": {{"input_tokens": {dice.randrange(10**6)}, "output_tokens": 12}}',
            "api_key=settings.api_key",
            "Authorization: Bearer $TOKEN",
            "curl -H 'Authorization: Bearer ${API_TOKEN}' https://api.example.org",
            "export GITHUB_TOKEN=<your token>",
            "password: ${{ secrets.DB_PASSWORD }}",
            "sorted(rows, key=lambda row: row['score'])",
            "PRIMARY KEY (id), FOREIGN KEY (user_id) REFERENCES users (id)",
            'access_token = request.headers.get("Authorization")',
            "忘记密码怎么办？请点击“重置密码”。",
            "API 密钥在设置页面里生成，请不要分享。",
            "sk-learn and hf_hub are libraries; npm_config_cache is a folder.",
            'raise KeyError(f"no such key: {key}")',
            "git clone git@github.com:example/project.git",
            f"tokens: {dice.randrange(10**5)}, keys: {dice.randrange(99)}",
            "secret = 'changeme'[:0]",
            "x-api-key: string (required)",
            "token_type: bearer, expires_in: 3600",
        )
    )


def _lock(dice: random.Random) -> str:
    digest = _base64(hashlib.sha512(_id(dice, 9).encode()).digest())
    name = _word(dice)
    entry = {"version": f"{dice.randrange(9)}.2.1", "integrity": f"sha512-{digest}"}
    return f'"node_modules/{name}": {json.dumps(entry)}'


def _call(dice: random.Random) -> str:
    return json.dumps(
        {
            "id": dice.choice(("call_", "toolu_01", "chatcmpl-", "msg_01", "fc_", "resp_"))
            + _id(dice, dice.choice((22, 24, 29))),
            "type": "function",
            "name": f"{_word(dice)}_{_word(dice)}",
            "arguments": json.dumps({"query": _sentence(dice), "limit": dice.randrange(50)}),
        }
    )


def _source(dice: random.Random, lines: list[str] = []) -> str:  # noqa: B006 - read once
    if not lines:
        for folder in ("agentlens", "benchmarks", "docs"):
            for path in sorted((_ROOT / folder).rglob("*")):
                if path.suffix in (".py", ".js", ".css", ".toml", ".md"):
                    text = path.read_text("utf-8")
                    lines += [one for one in text.splitlines() if len(one) > 20]
        lines[:] = [one for one in lines if not re.search(_SECRETIVE, one)]
    return dice.choice(lines)


#: Lines of this project that show a secret, or the pattern of one, are no ordinary strings.
_SECRETIVE = r"(?i)passw|secret|api.?key|bearer|/home/|/Users/|Users\\\\|\w@\w|eyJ|://\S*:\S*@|sk-|gh[pousr]_"

#: What is drawn from, in turn.
KINDS: dict[str, Callable[[random.Random], str]] = {
    "git hash": lambda d: d.choice(
        (
            f"commit {_hex(d, 40)}",
            f"{_hex(d, 7)} Fix the {_word(d)}",
            f"HEAD is now at {_hex(d, 9)}",
            f"index {_hex(d, 7)}..{_hex(d, 7)} 100644",
            f"Merge: {_hex(d, 40)} {_hex(d, 40)}",
        )
    ),
    "UUID": lambda d: d.choice(
        (
            _uuid(d),
            f'"session_id": "{_uuid(d)}"',
            f"https://example.org/items/{_uuid(d)}",
            f"request id: {_uuid(d)}",
        )
    ),
    "call": _call,
    "id": lambda d: d.choice(
        (
            f'"span_id": "{_hex(d, 16)}", "trace_id": "{_hex(d, 32)}"',
            f"run-{_id(d, 26)}",
            f"arn:aws:iam::{d.randrange(10**12)}:role/{_word(d)}",
            f"0x{_hex(d, 12)}",
            f'etag: "{_hex(d, 32)}"',
            f"{_word(d)}-{_hex(d, 10)}-{_id(d, 5)}",
            f"doi:10.1000/{_id(d, 9)}",
            f"https://www.youtube.com/watch?v={_id(d, 11)}",
            f"price_{_id(d, 24)}",
        )
    ),
    "digest": lambda d: d.choice(
        (
            f"sha256:{_hex(d, 64)}",
            f"{_hex(d, 64)}  {_word(d)}.tar.gz",
            f"--hash=sha256:{_hex(d, 64)}",
            f"md5={_hex(d, 32)}",
            f"Digest: sha256:{_hex(d, 64)}",
        )
    ),
    "lock file": _lock,
    "base64 image": lambda d: (
        "data:image/png;base64,iVBORw0KGgo" + _base64(d.randbytes(d.randrange(60, 3000)))
    ),
    "base64": lambda d: d.choice(
        (
            _base64(d.randbytes(48)),
            _base64(_sentence(d).encode()),
            f'"data": "{_base64(d.randbytes(300))}"',
        )
    ),
    "path": _path,
    "version": lambda d: d.choice(
        (
            f"{d.randrange(30)}.{d.randrange(30)}.{d.randrange(30)}-rc.{d.randrange(9)}",
            f"{_word(d)}@{d.randrange(9)}.{d.randrange(99)}.0",
            f"{_word(d)}=={d.randrange(9)}.4.1",
            f"Python 3.12.{d.randrange(9)} (main, Apr  9 2026, 08:09:14) [GCC 13.2.0]",
            f"sha-{_hex(d, 7)}",
            f"v{d.randrange(9)}.{d.randrange(9)}.0+{_hex(d, 8)}",
        )
    ),
    "sentence": _sentence,
    "Chinese": lambda d: "".join(d.choices(_CHINESE, k=d.randrange(6, 60))) + "。",
    "address": lambda d: (
        f"https://example.org/{_word(d)}/home/{_word(d)}?q={_word(d)}&page={d.randrange(9)}"
    ),
    "time": lambda d: (
        f"2026-0{d.randrange(1, 9)}-1{d.randrange(9)}T10:00:00Z took {d.random():.6f} s"
    ),
    "code and docs": _source,
    "about secrets": _about,
}


def ordinary(number: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield so many ordinary strings with their kind, kinds in turn."""
    dice = random.Random(seed)
    names = list(KINDS)
    for n in range(number):
        name = names[n % len(names)]
        yield name, KINDS[name](dice)
