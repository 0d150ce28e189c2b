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
MASKED |= {  # what commands take, cookies, sign-ins
    "mysql -u root -phunter22 db": "mysql -u root -p<secret:1> db",
    "mysqldump -uroot -p'S3cretpw' x": "mysqldump -uroot -p'<secret:1>' x",
    "sshpass -p hunter ssh db": "sshpass -p <secret:1> ssh db",
    "docker login -u anna -p s3cretpw registry": "docker login -u anna -p <secret:1> registry",
    "redis-cli -h cache -a s3cretpw ping": "redis-cli -h cache -a <secret:1> ping",
    "Cookie: sessionid=abcdefghij12; theme=dark": "Cookie: sessionid=<secret:1>; theme=dark",
    "Set-Cookie: sid=s%3AabcDEF123; Path=/": "Set-Cookie: sid=<secret:1>; Path=/",
    '--cookie "PHPSESSID=r2t5uvjq435r4q7i"': '--cookie "PHPSESSID=<secret:1>"',
    "aws configure set aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPxRfiCYKEY": (
        "aws configure set aws_secret_access_key <secret:1>"
    ),
    "/callback?code=4/0AX4XfWhabcdef&state=xyz": "/callback?code=<secret:1>&state=xyz",
    "a=b&client_secret=abcdefghijklmnop&x=1": "a=b&client_secret=<secret:1>&x=1",
    "BEARER abcdef0123456789": "BEARER <token:1>",
}
MASKED |= {  # other shapes of settings
    '{"pass": "hunter22", "pw": "hunter23"}': '{"pass": "<secret:1>", "pw": "<secret:2>"}',
    '{\\"pass\\": \\"hunter22\\"}': '{\\"pass\\": \\"<secret:1>\\"}',
    "SMTP_PASS=hunter": "SMTP_PASS=<secret:1>",
    "<password>hunter</password>": "<password><secret:1></password>",
    "<db:password>correct horse</db:password>": "<db:password><secret:1></db:password>",
    "password:\n  hunter22": "password:\n  <secret:1>",
    "password: |\n  hunter22": "password: |\n  <secret:1>",
    'password: "correct horse battery staple"': 'password: "<secret:1>"',
    '{"passwords": ["hunter22", "letmein1"]}': '{"passwords": ["<secret:1>", "<secret:2>"]}',
    '{"secrets": {"db": "hunter22x"}}': '{"secrets": {"db": "<secret:1>"}}',
    "写信给anna@例子.公司谢谢": "写信给<email:1>谢谢",
    "联系anna@例子.com谢谢": "联系<email:1>谢谢",
    "发给anna@example.com然后上传b.txt": "发给<email:1>然后上传b.txt",
    "anna@bücher.example": "<email:1>",
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
    # names that begin like a key
    "sk-learn-based-model-selection",
    "xai-explainable-methods-for-llm",
    "pplx-7b-online-chat-v2-preview",
    "xoxo-love-from-paris",
    "fw_update_download_progress",
    "AIza" + "a" * 35,
    # what looks like an option, a setting, a person
    "mysql -u root -p database1",
    "docker run -p 8080:80 nginx",
    "mkdir -p some/long/dir123",
    "ssh -p 2222 host",
    "npm i foo@1.2.3.beta",
    "GET /home/team/about",
    "see /home/page/about",
    "public_key=abcDEF1234567890abcDEF",
    '"cache_key": "user_1234567890abcdef"',
    "client_secret=CLIENT_SECRET",
    "GET /items?code=E11000duplicate",
    '{"pass": "12/12 tests", "pass_rate": 0.951234, "passed": true}',
    "password:\n  type: string\n  minLength: 8",
    'password: "Enter your new password"',
    '{"tokens": ["the", "cat"], "password": {"type": "string"}}',
    '<input type="password">Show123</input>',
    "Set-Cookie: path=/a1b2c3d4; lang=en",
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


def test_several_values_under_the_name_of_secrets():
    values = {
        "passwords": ["hunter22", "letmein"],
        "secrets": {"db": "hunter22x", "user": "anna"},
        "password": {"type": "string", "example": "abc123"},
        "tokens": ["the", "cat12345"],
        "pw": "correct horse battery",
    }
    assert Redactor().redact_values(values) == {
        "passwords": ["<secret:1>", "<secret:2>"],
        "secrets": {"db": "<secret:3>", "user": "anna"},
        "password": {"type": "string", "example": "abc123"},
        "tokens": ["the", "cat12345"],
        "pw": "<secret:4>",
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


@pytest.mark.parametrize(
    "unit",
    ["mysql a", "Cookie: a=b;", "<password>a ", "password:\n ", "a@例.", "/cb?code=aaaaaaaaaa1"],
)
def test_what_almost_matches_takes_linear_time(unit):
    def spent(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        Redactor()(text)
        return time.process_time() - started

    # sixteen times as much; quadratic time would be 256 times as long
    short, long = (min(spent(size) for _ in range(3)) for size in (20_000, 320_000))
    assert long < 64 * max(short, 0.002)


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
