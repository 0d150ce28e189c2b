"""What the made-up world speaks of: places, topics, and the words a question is changed by."""

from __future__ import annotations

from typing import Any

__all__ = ["EN", "ZH"]

#: `more` narrows a question, `again` only rewords it, `same` shares no word with its topic.
EN: dict[str, Any] = {
    "city": "Lisbon Oslo Vienna Kyoto Quito Hanoi Tunis Perth".split(),
    "topic": ["rainfall", "rent index", "museum visitors", "tram lines", "air quality",
              "energy subsidy", "harbour traffic", "school places"],
    "more": "official table by district monthly per resident".split(),
    "again": ["latest", "right now", "today", "please", "exact figure", "full list", "summary"],
    "same": ["precipitation", "downpour figures", "how wet is it", "showers in millimetres",
             "wet days", "pluviometer readings", "storm totals"],
    "join": " ", "ask": "Look up the {topic} of {city}.",
}  # fmt: skip
ZH: dict[str, Any] = {
    "city": "北京 上海 成都 西安 广州 杭州 大连 昆明".split(),
    "topic": "降雨量 房租指数 参观人数 地铁线路 空气质量 能源补贴 港口吞吐 入学名额".split(),
    "more": "官方 表格 分区 月度 人均 明细".split(),
    "again": "最新 实时 今天 具体数字 完整名单 汇总 查询".split(),
    "same": "下了多少雨 雨水情况 湿不湿 阵雨毫米 雨天数目 雨势记录 暴雨合计".split(),
    "join": "", "ask": "{city}的{topic}是多少？",
}  # fmt: skip
