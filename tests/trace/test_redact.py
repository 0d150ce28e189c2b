"""Secrets are masked, the same one by the same placeholder, in linear time."""

from __future__ import annotations

import time

import pytest

from agentlens.trace.redact import Redactor, redact

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
KEPT = (
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


@pytest.mark.parametrize(
    "piece",
    [
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
    small = min(seconds(20_000) for _ in range(3))
    assert seconds(200_000) < 40 * max(small, 0.001)
