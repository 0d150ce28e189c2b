"""Tokens against hand-written rows, the golden table and texts made to break a tokeniser."""

import json
import os
import subprocess
import sys
import time
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import PolicyError
from agentlens.progress.text import PROFILES, describe, get_profile, tokenize

# input, classic@1, safe@1: written by hand from the rules
GOLDEN = [
    ("北京天气", "北 京 天 气", "北 京 天 气"),
    ("北京今日天气 气温", "北 京 今 日 天 气 温", "北 京 今 日 天 气 温"),
    ("  北京\u3000天气！！", "北 京 天 气", "北 京 天 气"),
    ("BEIJING Weather", "beijing weather", "beijing weather"),
    ("ＢＥＩＪＩＮＧ\u3000２０２５", "ｂｅｉｊｉｎｇ", "beijing 2025"),
    ("iPhone15多少钱", "iphone15 多 少 钱", "iphone15 多 少 钱"),
    ("Python3.11 新特性", "python311 新 特 性", "python3.11 新 特 性"),
    ("C++ 教程", "c 教 程", "c++ 教 程"),
    ("C# 教程", "c 教 程", "c# 教 程"),
    (".NET 8", "net 8", ".net 8"),
    ("2025年5月20日", "2025 年 5 月 20 日", "d:2025-05-20"),
    ("2025/5/20", "2025520", "d:2025-05-20"),
    ("1,000 元", "1000 元", "1000 元"),
    ("¥5,999.00", "599900", "5999.00"),
    ("best laptops", "best laptops", "best laptop"),
    ("what's new", "whats new", "what new"),
    ("state-of-the-art", "stateoftheart", "state of the art"),
    ("site:github.com loop", "sitegithubcom loop", "site:github.com loop"),
    ("www.example.com/a?b=1", "wwwexamplecomab1", "url:example.com/a?b=1"),
    ("ﾃﾞｰﾀ", "ﾃﾞｰﾀ", "データ"),
    ("ひまわりの種", "ひまわりの 種", "ひま まわ わり りの 種"),
    ("서울의 날씨", "서울의 날씨", "서울 울의 날씨"),
    ("👍🏽", "", "👍"),
    ("Straße", "straße", "strasse"),
    ("\u0130stanbul", "i\u0307stanbul", "istanbul"),
    ("zero\u200bwidth", "zero\u200bwidth", "zero width"),
    ("٢٠٢٥", "٢٠٢٥", "2025"),
    ("A/B测试", "ab 测 试", "a b 测 试"),
    ("Wi-Fi 6E", "wifi 6e", "wifi 6e"),
    ('"exact phrase" -exclude', "exact phrase exclude", "exact phrase -exclude"),
    ("？！…", "", ""),
]


@pytest.mark.parametrize(("text", "classic", "safe"), GOLDEN)
def test_r01_hand_written_rows(text, classic, safe):
    assert tokenize(text, "classic@1") == frozenset(classic.split())
    assert tokenize(text, "safe@1") == frozenset(safe.split())
    assert tokenize(text) == tokenize(text, "safe@1")


@pytest.mark.shared
@pytest.mark.parametrize("profile", ["classic", "safe"])
def test_r01_golden_table(shared, profile):
    rows = json.loads((shared / "data" / "golden_tokens.json").read_text(encoding="utf-8"))
    assert len(rows) == 84
    for row in rows:
        assert tokenize(row["text"], f"{profile}@1") == frozenset(row[profile]), row["text"]


def test_r02_two_fingerprints_of_the_article():
    assert tokenize("北京天气", "classic@1") == set("北京天气")
    assert tokenize("北京今日天气 气温", "classic@1") == set("北京今日天气温")
    assert len(tokenize("北京今日天气 气温", "classic@1")) == 7


def test_r06_whitespace_tokens_see_no_chinese_similarity():
    assert tokenize("北京天气", "whitespace") == {"北京天气"}
    assert not tokenize("北京天气", "whitespace") & tokenize("北京今日天气 气温", "whitespace@1")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("价格1,000, 2,000元", "价 格 1000 2000 元"),
        ("C++20教程 asp.net", "c++ 20 教 程 asp.net"),
        ("-site:x.com e-mail x-ray", "-site:x.com email xray"),
        ("2025-13-01", "2025 13 1"),
        ("don’t panic", "don't panic"),
        ("007 0.50 00", "7 0.50 0"),
        ("this news bus class cities houses shoes", "this news bus class city house shoes"),
        ("见https://a.com/b）。是", "见 url:a.com/b 是"),
        ("10.0.0.1 err_x.y", "10.0.0.1 err_x.y"),
        ("\ud83d\ude00 ok", "😀 ok"),
    ],
)
def test_safe_rules_beyond_the_table(text, tokens):
    assert tokenize(text, "safe@1") == frozenset(tokens.split())


def test_a11_punctuation_deleted_or_a_space():
    assert tokenize("A/B node.js", "classic@1") == {"ab", "nodejs"}
    assert tokenize("A/B node.js", "classic@1", punct="space") == {"a", "b", "node", "js"}
    assert tokenize("A/B", "safe@1", punct="space") == {"a", "b"}
    with pytest.raises(PolicyError, match="delete, space"):
        tokenize("a", "classic@1", punct="keep")
    with pytest.raises(PolicyError, match="punct"):
        tokenize("a", "safe@1", punct="delete")


@pytest.mark.parametrize("profile", ["classic@1", "safe@1", "whitespace", "words-jieba"])
def test_a13_split_letters_from_digits(profile):
    assert tokenize("iphone15", profile) >= {"iphone15"}
    assert tokenize("iphone15", profile, split_alnum=True) == {"iphone", "15"}


def test_jieba_words_are_searchable_in_parts(capfd, tmp_path):
    tokens = tokenize("查询数据库 user_id", "words-jieba")
    assert {"查询", "数据库", "user", "id"} <= tokens
    assert "_" not in tokens
    assert tokenize("查询数据库", "words-jieba@0.42.1") <= tokens
    assert capfd.readouterr() == ("", "")


def test_jieba_leaves_no_shared_cache_behind(tmp_path):
    code = (
        "from agentlens.progress.text import tokenize\n"
        "import sys\nassert 'jieba' not in sys.modules\n"
        "print(len(tokenize('查询数据库', 'words-jieba')))"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) >= 3
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_missing_jieba_is_said_and_never_swapped():
    code = (
        "import sys; sys.modules['jieba'] = None\n"
        "from agentlens.progress.text import describe, tokenize\n"
        "from agentlens.errors import PolicyError\n"
        "assert describe('words-jieba')['jieba'] == 'missing'\n"
        "try: tokenize('a', 'words-jieba')\n"
        "except PolicyError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs the package jieba" in done.stdout


def test_unknown_profile_lists_the_profiles():
    with pytest.raises(PolicyError) as caught:
        tokenize("a", "icu@72")
    assert all(name in str(caught.value) for name in PROFILES)
    with pytest.raises(PolicyError):
        get_profile(None)


def test_describe_names_the_unicode_versions():
    facts = describe("safe@1")
    assert facts["unicodedata"] == unicodedata.unidata_version
    assert facts["regex"] == regex.__version__
    assert describe("words-jieba")["jieba"] == "0.42.1"


@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize("value", [None, 7, 1.5, b"abc", [], {"q": "a"}, object(), "", "   "])
def test_anything_else_is_empty(value, profile):
    assert tokenize(value, profile) == frozenset()


@given(st.text(st.characters(), max_size=60), st.sampled_from(["classic@1", "safe@1"]))
def test_no_text_raises_and_every_token_can_be_written(text, profile):
    for token in tokenize(text, profile):
        assert token
        token.encode()


@given(st.text(max_size=30))
def test_r07_case_and_outer_space_do_not_matter(text):
    tokens = tokenize(text, "classic@1")
    assert tokenize(f"  {text}\n", "classic@1") == tokens
    assert tokenize(text.lower(), "classic@1") == tokens


@given(
    st.lists(st.sampled_from("北京 天气 weather 2024 c++ ひまわり".split()), max_size=8),
    st.randoms(),
)
def test_r07_order_and_repetition_do_not_matter(words, random):
    shuffled = [*words, *words]
    random.shuffle(shuffled)
    for profile in ("classic@1", "safe@1"):
        assert tokenize(" ".join(shuffled), profile) == tokenize(" ".join(words), profile)


HOSTILE = {
    "letters": "a" * 10**6,
    "han": "北" * 10**6,
    "thousands": "1,000" + ",000" * 250_000 + "x",
    "marks": "a" + "\u0315\u0300" * 500_000,
    "hyphens": "a-" * 500_000,
    "joiners": "👨\u200d" * 500_000,
    "surrogates": "\ud800" * 10**6,
    "schemes": "https://" * 125_000,
    "controls": "".join(map(chr, range(32))) * 31_250,
    "dates": "2025-1-" * 143_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_million_characters_stay_linear(name):
    started = time.perf_counter()
    for profile in ("classic@1", "safe@1"):
        tokenize(HOSTILE[name], profile)
    assert time.perf_counter() - started < 20  # a quadratic pattern takes minutes


@pytest.mark.parametrize("profile", ["classic@1", "safe@1"])
def test_ten_thousand_queries_take_less_than_a_second(profile):
    queries = [f"北京今日天气 weather {number}" for number in range(10_000)]
    started = time.process_time()
    for query in queries:
        tokenize(query, profile)
    assert time.process_time() - started < 1
