"""The 20 golden traces: the article's own, and legitimate runs that the classic rule gets wrong."""

from __future__ import annotations

import json

import pytest
from runs import run

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay

VARIANTS = {
    "classic": {},
    "all": {"agg": "all"},
    "mixed=reset": {"mixed": "reset"},
    "mixed_join_history=false": {"mixed_join_history": False},
    "business=neutral": {"business": "neutral"},
    "intra=true": {"intra": True},
    "threshold=1": {"threshold": 1},
    "threshold=3": {"threshold": 3},
    "safe tokens + numeric veto + min_tokens 2": {
        "profile": "safe@1",
        "numeric_veto": True,
        "min_tokens": 2,
    },
}

# Requirements, A4: rounds, counts and trip round by the article's rule.
CLASSIC = {
    "G01": ("天气/今日天气 气温/今日天气 晴雨/今日天气 预报/天气 实时", [0, 1, 2], 3),
    "G02": ("北京天气/能源补贴政策/设备能耗 排名", [0, 0, 0], None),
    "G03": (
        "北京天气/北京今日天气 气温/能源补贴政策/能源补贴政策 2025/能源补贴政策 最新",
        [0, 1, 0, 1, 2],
        5,
    ),
    "G04": ("北京天气/北京今日天气,@dev/北京天气 气温/北京天气 晴雨", [0, 0, 1, 2], 4),
    "G05": ("能源补贴政策/北京天气,@dev/北京今日天气 气温/北京天气 晴雨", [0, 0, 1, 2], 4),
    "G06": ("北京天气/北京今日天气/@energy/北京天气 气温", [0, 1, 0, 1], None),
    "G07": ("北京天气/北京今日天气,上海GDP/北京天气 气温,深圳人口", [0, 1, 2], 3),
    "G08": ("北京天气,北京今日天气/上海人口,上海人口 2024", [0, 0], None),
    "G09": ("？！/…/", [0, 0, 0], None),
    "G10": ("北京天气/北京天气/北京天气", [0, 1, 2], 3),
    "G11": ("天气/气象/气温实况/冷暖情况/晴雨", [0] * 5, None),
    "G12": ("苹果公司2022年财报/苹果公司2023年财报/苹果公司2024年财报", [0, 1, 2], 3),
    "G13": ("北京今日天气/南京今日天气/东京今日天气", [0, 1, 2], 3),
    "G14": ("北京/北京 旅游/北京 旅游 攻略/北京 旅游 攻略 三日", [0, 1, 2], 3),
    "G15": ("天/今天天气/天文台 开放时间", [0, 1, 2], 3),
    "G16": ("C++ 教程/C# 教程/C 教程", [0, 1, 2], 3),
    "G17": ("weather beijing/beijing weather today/weather in beijing now", [0, 1, 2], 3),
    "G18": ("best laptop 2024/best laptops 2024/the best laptops of 2024", [0, 0, 1], None),
    "G19": ("北京天气/能源补贴政策/北京天气/能源补贴政策/北京天气", [0, 0, 1, 2], 4),
    "G20": ("今日天气 气温/今日天气 晴雨/今日天气 风力", [0, 1, 2], 3),
}


def rounds_of(text: str) -> list[list[str]]:
    return [part.split(",") for part in text.split("/")]


def counts_and_trip(rounds, **switches):
    found = replay(run(rounds), Policy.preset("classic", **switches))
    counts = [c for c in found.counts["query"] if c is not None]
    return counts, found.trip.round if found.trip else None


@pytest.mark.parametrize("name", CLASSIC)
def test_r10_r11_classic_counts_and_trips_as_the_golden_table_says(name):
    text, counts, trip = CLASSIC[name]
    assert counts_and_trip(rounds_of(text)) == (counts, trip)


@pytest.mark.parametrize(
    ("name", "switches", "counts", "trip"),
    [
        ("G01", {"threshold": 1}, [0, 1], 2),
        ("G01", {"threshold": 3}, [0, 1, 2, 3], 4),
        ("G03", VARIANTS["safe tokens + numeric veto + min_tokens 2"], [0, 1, 0, 0, 1], None),
        ("G05", {"mixed_join_history": False}, [0, 0, 0, 0], None),
        ("G06", {"business": "neutral"}, [0, 1, 1, 2], 4),
        ("G07", {"agg": "all"}, [0, 0, 0], None),
        ("G08", {"intra": True}, [1, 2], 2),
        ("G09", {"empty": "similar"}, [0, 1, 2], 3),
        ("G12", {"numeric_veto": True}, [0, 0, 0], None),
        ("G14", {"threshold": 3}, [0, 1, 2, 3], 4),
        ("G15", {"min_tokens": 2}, [0, 0, 0], None),
        ("G16", {"profile": "safe@1"}, [0, 0, 0], None),
        ("G19", {"window": "last"}, [0] * 5, None),
        ("G20", {"strict": True}, [0, 0, 0], None),
        ("G20", {"similarity": 0.81}, [0, 0, 0], None),
    ],
)
def test_the_switch_that_a_golden_trace_discriminates(name, switches, counts, trip):
    assert counts_and_trip(rounds_of(CLASSIC[name][0]), **switches) == (counts, trip)


@pytest.mark.shared
def test_all_golden_traces_in_all_variants(shared):
    checked = 0
    for case in json.loads((shared / "data" / "golden_traces.json").read_text("utf-8")):
        for name, switches in VARIANTS.items():
            expected = case["expected"][name]
            counts, trip = counts_and_trip(case["rounds"], **switches)
            assert trip == expected["trip_round"], (case["id"], name)
            assert counts[: len(expected["counts"])] == expected["counts"], (case["id"], name)
            checked += 1
    assert checked == 180
