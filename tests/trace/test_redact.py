"""Secrets are masked, the same one by the same placeholder, in linear time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agentlens.trace.redact import Redactor, redact, redacting

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+abc/def==\nxyz\n-----END RSA PRIVATE KEY-----"
MASKED = {
    "key sk-abcdefghijklmnop1234 end": "key <api-key:1> end",
    "sk-ant-api03-abcdefghijklmnopqrstuv": "<api-key:1>",
    "sk-proj-abc_def-ghijklmnopqrstuv": "<api-key:1>",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": "<api-key:1>",
    "github_pat_11ABCDEFG0abcdefghijkl_mnop": "<api-key:1>",
    "AKIAIOSFODNN7EXAMPLE": "<api-key:1>",
    "xoxb-123456789012-abcdefghij": "<api-key:1>",
    f"token {JWT}": "token <jwt:1>",
    KEY: "<private-key:1>",
    KEY[:50]: "<private-key:1>",
    "Authorization: Bearer abc.def-ghijklmno": "Authorization: Bearer <token:1>",
    "Authorization: Basic dXNlcjpwYXNz": "Authorization: Basic <token:1>",
    "postgres://admin:hunter2@db.example.org/x": "postgres://admin:<password:1>@db.example.org/x",
    "redis://:s3cret@host": "redis://:<password:1>@host",
    'password = "hunter22"': 'password = "<secret:1>"',
    '{\\"api_key\\": \\"abcdef123\\"}': '{\\"api_key\\": \\"<secret:1>\\"}',
    "DB_PASSWORD=hunter22 next": "DB_PASSWORD=<secret:1> next",
    "mail anna.b@mail.example.org!": "mail <email:1>!",
    "/home/anna/x /Users/anna/y /home/bert": "/home/<user:1>/x /Users/<user:1>/y /home/<user:2>",
    "C:\\Users\\anna\\x": "C:\\Users\\<user:1>\\x",
}
MASKED |= {
    "请使用ghp_abcdefghijklmnopqrstuvwxyz0123456789登录": "请使用<api-key:1>登录",
    "line\\nghp_abcdefghijklmnopqrstuvwxyz0123456789": "line\\n<api-key:1>",
    "token%3Dghp_abcdefghijklmnopqrstuvwxyz0123456789": "token%3D<api-key:1>",
    "deploy --db-password hunter22 --wait": "deploy --db-password <secret:1> --wait",
    "ENV API_TOKEN abcd1234efgh5678": "ENV API_TOKEN <secret:1>",
    "curl -u deploy:hunter22! https://example.org": "curl -u deploy:<secret:1> https://example.org",
    "jdbc:x://db/y?user=app&password=hunter22": "jdbc:x://db/y?user=app&password=<secret:1>",
    '{"name": "PASSWORD", "value": "hunter22"}': '{"name": "PASSWORD", "value": "<secret:1>"}',
    "请使用AKIAIOSFODNN7EXAMPLQ登录": "请使用<api-key:1>登录",
    "密码是hunter22，请保密": "密码是<secret:1>，请保密",
    "path\\tanna@example.org": "path\\t<email:1>",
    "C:\\\\Users\\\\张三\\\\x": "C:\\\\Users\\\\<user:1>\\\\x",
    "~/.claude/projects/-home-anna-code": "~/.claude/projects/-home-<user:1>",
    "password=abcdefgh12 then abcdefgh12": "password=<secret:1> then <secret:1>",
}
KEPT = (
    "password = getpass.getpass()",
    "api_key=settings.api_key",
    "access_token = request.headers['x']",
    "tokenizer = AutoTokenizer.from_pretrained('gpt2-medium-2024')",
    "token_count: 12abc34567890123",
    "password: str | None = None",
    "git@github.com:example/project.git",
    "logo@2x.png",
    "https://example.org/home/anna",
    "toolu_01A09q90qw90lq917835lq9z",
    "sha512-" + "Ab3" * 28 + "==",
    "task-sk-short",
    "sk-learn is a library",
    "the password is required",
    "password: none",
    "token = os.environ['X']",
    "/home/user/x",
    "https://example.org/a:b@c",
    "天气 北京",
    "a@b",
    "eyJ short",
    "max_tokens=4096",
    "git clone https://example.org/r.git",
)


@pytest.mark.parametrize(("text", "expected"), MASKED.items(), ids=range(len(MASKED)))
def test_masked(text, expected):
    assert redact(text) == expected
    assert redact(redact(text)) == expected


@pytest.mark.parametrize("text", KEPT)
def test_kept(text):
    assert redact(text) == text


def test_the_same_secret_has_the_same_placeholder_across_texts():
    masker = Redactor()
    one, two = "sk-" + "a" * 20, "sk-" + "b" * 20
    assert [masker(text) for text in (one, two, f"{two} {one}")] == [
        "<api-key:1>",
        "<api-key:2>",
        "<api-key:2> <api-key:1>",
    ]
    assert masker.counts == {"api-key": 4}


def test_a_secret_has_one_placeholder_whatever_tells_it():
    masker = Redactor()
    secret = "Zq4x7Tb9Lm2Wd8Rk"
    assert masker(f"Authorization: Bearer {secret}") == "Authorization: Bearer <token:1>"
    assert masker(f"API_KEY={secret}") == "API_KEY=<token:1>"
    assert masker(f"it said {secret}") == "it said <token:1>"
    assert masker.secrets == {"token": 1}


def test_values_under_secret_names_in_plain_values():
    values = {
        "password": "hunter22",
        "env": [{"name": "API_TOKEN", "value": "abcd1234efgh5678"}, {"name": "A", "value": "b"}],
        "argv": ["deploy", "--token", "wxyz1234efgh5678", "--wait"],
        "max_tokens": 4096,
        "note": "password",
        "empty": [],
    }
    assert Redactor().redact_values(values) == {
        "password": "<secret:1>",
        "env": [{"name": "API_TOKEN", "value": "<secret:2>"}, {"name": "A", "value": "b"}],
        "argv": ["deploy", "--token", "<secret:3>", "--wait"],
        "max_tokens": 4096,
        "note": "password",
        "empty": [],
    }


def test_what_is_told_late_is_masked_early():
    masker = Redactor()
    masker.learn(["password=correct4horse"])
    assert masker("it answered correct4horse") == "it answered <secret:1>"


def test_one_masker_numbers_the_secrets_of_a_page():
    with redacting(Redactor()):
        assert redact("a@example.org") == "<email:1>"
        assert redact("b@example.org a@example.org") == "<email:2> <email:1>"
    assert redact("b@example.org") == "<email:1>"


def test_a_million_characters_take_well_under_a_second():
    root = Path(__file__).resolve().parents[2]
    code = "".join(path.read_text("utf-8") for path in sorted((root / "agentlens").rglob("*.py")))
    text = (code * (1_000_000 // len(code) + 1))[:1_000_000]
    redact(text[:1000])
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 0.8


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ-",
        "--key",
        "--token a",
        "a_key=",
        "_key: '",
        "password" + " " * 7,
        'password: "',
        "密码是",
        "ENV a ",
        "login a ",
        " -u a",
        "M" * 24 + ".",
        "https://",
        "key is value",
        "token,    value",
        "SG.aaaaaaaaaaaaaaaaaaaa.",
        "a",
        "a.",
        "-",
        "eyJ",
        "eyJaaaaaaaa.",
        "://",
        "a:",
        "a@",
        "a://",
        "password=",
        "Bearer ",
        "-----BEGIN ",
        "/home/",
        "sk-",
        "\n",
        "A ",
        "x@x.",
    ],
)
def test_time_is_linear(piece):
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    seconds(1000)

    def grows() -> float:
        return seconds(200_000) / max(min(seconds(20_000) for _ in range(3)), 0.001)

    assert any(grows() < 40 for _ in range(4))  # linear is 10, quadratic 100 every time
