"""Secrets planted in texts of the shapes that traces have, and ordinary strings beside them."""

# ruff: noqa: ARG005 - a shape takes a name, a value and dice, whether it needs them or not

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.secret_kinds import KINDS, Kind, value_of

__all__ = ["Planted", "left_of", "planted"]

Shape = Callable[[str, str, random.Random], str]


@dataclass(frozen=True)
class Planted:
    """A text with one secret in it."""

    kind: str
    shape: str
    secret: str
    text: str


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(part.title() for part in rest)


def _dump(name: str, value: str, dice: random.Random) -> str:
    around = [
        "PATH=/usr/local/bin:/usr/bin", "LANG=C.UTF-8", f"{name}={value}", "SHLVL=1",
        f"HOSTNAME={dice.randrange(16**12):012x}", "PWD=/app",
    ]  # fmt: skip
    dice.shuffle(around)
    return "\n".join(around)


def _json_in_json(name: str, value: str, _: random.Random) -> str:
    inner = json.dumps({"method": "POST", "env": {name: value}, "retries": 3})
    return json.dumps({"name": "run", "arguments": inner})


def _deeper(name: str, value: str, dice: random.Random) -> str:
    return json.dumps({"role": "assistant", "content": _json_in_json(name, value, dice)})


def _results(name: str, value: str, dice: random.Random) -> str:
    return json.dumps({"exit": 0, "stdout": _dump(name, value, dice) + "\n"})


#: Shapes in which the setting's name stands beside the value.
NAMED: dict[str, Shape] = {
    "tool arguments": lambda n, v, d: json.dumps(
        {"command": "python run.py", "env": {n: v}, "timeout": d.randrange(10, 300)}
    ),
    "environment": _dump,
    "export": lambda n, v, _: f"export {n}='{v}' && python run.py --verbose",
    "yaml": lambda n, v, _: f"services:\n  api:\n    environment:\n      {n}: {v}\n    ports: [80]",
    "yaml, quoted": lambda n, v, _: f'settings:\n  {n.lower()}: "{v}"\n  debug: false',
    "python": lambda n, v, _: f'import os\n{n} = "{v}"\nclient = Client(timeout=30)\n',
    "python, keyword": lambda n, v, _: f"client = Client({n.lower()}='{v}', retries=3)",
    "python, repr": lambda n, v, _: repr({"region": "eu-west-1", n.lower(): v, "debug": True}),
    "javascript": lambda n, v, _: f'const config = {{ {_camel(n)}: "{v}", retries: 3 }};',
    "json in json": _json_in_json,
    "json in json in json": _deeper,
    "results": _results,
    "docker": lambda n, v, _: f"docker run --rm -e {n}={v} -p 8080:80 app:1.4.2",
    "dockerfile": lambda n, v, _: f"FROM python:3.12\nENV {n} {v}\nRUN pip install -r req.txt",
    "flag": lambda n, v, _: f"deploy --region eu --{n.lower().replace('_', '-')} {v} --wait",
    "flag, =": lambda n, v, _: f"deploy --{n.lower().replace('_', '-')}={v} --wait",
    "toml": lambda n, v, _: f'[service]\n{n.lower()} = "{v}"\nport = 443\n',
    "ini": lambda n, v, _: f"[default]\nregion = eu-west-1\n{n.lower()} = {v}\noutput = json",
    "chinese, named": lambda n, v, _: f"请先设置环境变量{n}={v}，然后重新运行脚本。",
    "xml": lambda n, v, _: f'<appSettings><add key="{n}" value="{v}" /></appSettings>',
    "kubernetes": lambda n, v, _: json.dumps([{"name": n, "value": v}, {"name": "A", "value": ""}]),
}
#: Shapes in which a value stands alone, or in a header or an address.
BARE: dict[str, Shape] = {
    "curl": lambda n, v, _: f"curl -sS -H 'Authorization: Bearer {v}' https://api.example.org/v1",
    "curl, key": lambda n, v, _: f'curl -H "X-Api-Key: {v}" https://api.example.org/v1/items?p=2',
    "headers": lambda n, v, _: json.dumps({"headers": {"Authorization": f"Bearer {v}"}, "n": 1}),
    "address": lambda n, v, _: f"GET https://api.example.org/v1/items?limit=5&access_token={v}&p=2",
    "remote": lambda n, v, _: f"git clone https://oauth2:{v}@git.example.org/team/app.git",
    "python, call": lambda n, v, _: f'login("{v}")  # TODO: read it from a file',
    "log": lambda n, v, _: f"2026-03-01 10:00:04 INFO auth: accepted {v} for deploy",
    "error": lambda n, v, _: f"AuthenticationError: Incorrect API key provided: {v}.",
    "chinese": lambda n, v, _: f"我的密钥是{v}，请不要告诉别人。",
    "chinese, close": lambda n, v, _: f"请使用{v}登录系统",
    "markdown": lambda n, v, _: f"Use `{v}` to sign in.\n\n| a | b |\n|---|---|",
    "escaped": lambda n, v, _: json.dumps({"content": f"Credentials:\n{v}\nKeep them safe."}),
    "escaped twice": lambda n, v, _: json.dumps({"a": json.dumps({"t": f"line\n{v}\nline"})}),
}
#: Shapes for passwords besides the named ones.
PASSWORD: dict[str, Shape] = {
    "connection": lambda n, v, d: (
        d.choice(("postgresql", "mysql", "mongodb+srv", "redis", "amqp"))
        + f"://app:{v.replace('@', '%40').replace('#', '%23').replace('?', '%3F')}"
        + "@db.internal.example.org:5432/orders"
    ),
    "ado": lambda n, v, _: f"Server=db1,1433;Database=orders;User Id=app;Password={v};Encrypt=true",
    "jdbc": lambda n, v, _: f"jdbc:postgresql://db1:5432/orders?user=app&password={v}",
    "curl, user": lambda n, v, _: f"curl -u deploy:{v} https://api.example.org/health",
    "netrc": lambda n, v, _: f"machine api.example.org login deploy password {v}",
    "chinese, password": lambda n, v, _: f"数据库密码：{v}，用户名是 app。",
}
#: Where a text of several lines may stand.
BLOCK: dict[str, Shape] = {
    "file": lambda n, v, _: f"$ cat deploy.key\n{v}\n$ echo done",
    "escaped": lambda n, v, _: json.dumps({"path": "deploy.key", "content": v + "\n"}),
    "escaped twice": lambda n, v, _: json.dumps({"a": json.dumps({"key": v})}),
    "yaml, block": lambda n, v, _: "key: |\n  " + v.replace("\n", "\n  ") + "\nport: 22",
    "python": lambda n, v, _: f'KEY = """{v}"""\nprint(len(KEY))',
    "chinese": lambda n, v, _: f"私钥如下：{v}请妥善保管。",
}


def _shapes(kind: Kind) -> dict[str, Shape]:
    if kind.shapes == "block":
        return BLOCK
    if kind.shapes == "password":
        return NAMED | PASSWORD
    if kind.shapes == "text":
        bare = {k: v for k, v in BARE.items() if k not in ("remote", "curl", "address")}
        return NAMED | bare
    return NAMED if kind.named else NAMED | BARE


def planted(number: int, seed: int) -> Iterator[Planted]:
    """Yield so many planted secrets, kinds and shapes in turn, values by the seed."""
    dice = random.Random(seed)
    for n in range(number):
        kind = KINDS[n % len(KINDS)]
        shapes = _shapes(kind)
        shape = dice.choice(list(shapes))
        secret = value_of(kind, dice)
        text = shapes[shape](kind.setting, secret, dice)
        yield Planted(kind.name, shape, secret, text)


def left_of(one: Planted, text: str) -> bool:
    """Say whether something of a secret is left in a text: eight characters in a row, or all.

    A prefix that all values of a kind share is nothing of a secret: it is not looked for.
    """
    run = 8
    lines = [line for line in one.secret.split("\n") if not line.startswith("-----")]
    for line in lines:
        body = line[line.find("://") + 3 :] if "://" in line else line
        start = 0 if len(body) < 24 else 8
        rest = body[start:]
        if one.kind == "private-key" and ":" in line:
            continue  # a header of an armoured key
        if one.kind == "slack-webhook-url":
            rest = body[body.rfind("/") + 1 :]
        if len(rest) < run:
            if rest and rest in text:
                return True
            continue
        if any(rest[at : at + run] in text for at in range(len(rest) - run + 1)):
            return True
    return False
