"""Made-up runs of any length, in the plain format: stretches that loop and stretches that move."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["calls"]

_TOPICS = (
    ("北京天气", "今日 气温 晴雨 预报 实时 湿度 风力 空气质量".split()),
    ("python asyncio timeout", "example error wait_for cancel retry docs 3.12 shield".split()),
    ("能源补贴政策", "2025 申请 条件 标准 范围 流程 最新 解读".split()),
    ("best laptop for students", "2026 review battery cheap light price compare".split()),
    ("设备能耗 排名", "行业 对比 报告 数据 单位 同比 来源".split()),
    ("postgres slow query", "explain index vacuum plan join statistics".split()),
)


def calls(rounds: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return a run of so many rounds; the same for the same seed.

    It changes its topic every 6 to 30 rounds. Within a topic it names something new each time, or
    rewords one search: a loop, never in the first two fifths of the run and in three quarters of
    the stretches after that. One round in nine reads a page.
    """
    rng = random.Random(seed)
    made: list[dict[str, Any]] = []
    while len(made) < rounds:
        topic, words = rng.choice(_TOPICS)
        moves = rng.random() < 0.25 or len(made) < rounds * 2 // 5
        for _ in range(rng.randint(6, 30)):
            number = len(made) + 1
            page = f"https://example.org/{rng.randrange(400 if moves else 40)}"
            call: dict[str, Any] = {"round": number, "seconds": round(rng.uniform(1, 12), 2)}
            if rng.random() < 1 / 9:
                call |= {"tool": "read_page", "args": {"url": page}, "result": f"text of {page}"}
            else:
                new = f"{rng.randrange(10**6)} {rng.randrange(10**6)}" if moves else topic
                query = f"{new} {' '.join(rng.sample(words, rng.choice((1, 2, 2, 3))))}"
                call |= {"tool": "web_search", "args": {"query": query}, "result": f"1. {page}"}
            made.append(call)
    return made[:rounds]
