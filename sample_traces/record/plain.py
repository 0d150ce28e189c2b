"""The samples in the plain format: the incident, the boundary, and healthy runs beside them."""

from __future__ import annotations

from typing import Any

from common import lines, listing

_WIKI = ("天气_百科", "https://baike.example.cn/item/tianqi", "天气是指一定区域短时间内的大气状态，包括气温、湿度、云和降水等现象。")
_WIKI_SHORT = (*_WIKI[:2], "天气是指一定区域短时间内的大气状态。")
_SAYINGS = ("二十四节气与天气谚语", "https://culture.example.cn/jieqi", "朝霞不出门，晚霞行千里：民间天气谚语汇编。")
_BOTTLE = ("天气瓶制作方法", "https://diy.example.cn/stormglass", "用樟脑、酒精和蒸馏水自制天气瓶。")
_MEASURE = ("气温的测量方法", "https://edu.example.cn/qiwen", "气温通常在距地面 1.5 米的百叶箱内测量。")
_DEVICE = ("设备能耗与环境温度", "https://energy.example.cn/device", "某型设备在 35 摄氏度时能耗上升 12%。")
#: The first two searches find five pages. The last three find some of these again, and nothing else.
_WEATHER = [
    ("天气", [_WIKI, _SAYINGS, _BOTTLE]),
    ("今日天气 气温", [_MEASURE, _WIKI_SHORT, _DEVICE]),
    ("今日天气 晴雨", [_WIKI, _SAYINGS, _DEVICE]),
    ("今日天气 预报", [_MEASURE, _WIKI_SHORT, _BOTTLE]),
    ("天气 实时", [_MEASURE, _SAYINGS, _DEVICE]),
]


def incident() -> str:
    """Return the run that went in circles: five searches, irrelevant results, an invented answer."""
    rows: list[dict[str, Any]] = [
        {"role": "user", "text": "今日天气"},
        {"round": 0, "tool": None, "text": "我来搜一下天气"},
    ]
    for number, (query, hits) in enumerate(_WEATHER, 1):
        rows.append(
            {"round": number, "tool": "webSearch", "args": {"query": query}, "result": listing(*hits),
             "error": False, "seconds": 7.175, "time_quality": "derived"}
        )  # fmt: skip
    answer = (
        "《今日天气与某设备能耗的关联分析》\n一、今日天气：气温适中，晴雨相间。\n"
        "二、关联：环境温度升高时，设备能耗约上升 12%。\n三、建议：关注实时天气，合理设定温度。"
    )
    rows.append({"round": 6, "tool": None, "text": answer})
    return lines(rows)


def boundary() -> str:
    """Return three searches whose containment is exactly 4/5: at 0.81 nothing trips."""
    queries = ("今日天气 气温", "今日天气 晴雨", "今日天气 风力")
    found = (
        ("气温_百科", "https://baike.example.cn/item/qiwen", "气温是表示空气冷热程度的物理量。"),
        ("晴雨_百科", "https://baike.example.cn/item/qingyu", "晴雨指天气的晴与雨。"),
        ("风力等级表", "https://baike.example.cn/item/fengli", "蒲福风级从 0 级到 12 级。"),
    )
    rows: list[dict[str, Any]] = [{"role": "user", "text": "今天天气怎么样？"}]
    for number, (query, hit) in enumerate(zip(queries, found, strict=True), 1):
        rows.append({"round": number, "tool": "web_search", "args": {"query": query},
                     "result": listing(hit), "error": False})  # fmt: skip
    rows.append({"round": 4, "tool": None, "text": "没有查到今天的实况，只找到了名词解释。"})
    return lines(rows)


def year_series() -> str:
    """Return a healthy run that asks the same of three years: only the number differs."""
    facts = {2022: ("3943 亿", "998 亿"), 2023: ("3833 亿", "970 亿"), 2024: ("3910 亿", "937 亿")}
    rows: list[dict[str, Any]] = [{"role": "user", "text": "比较苹果公司 2022 到 2024 财年的营收和净利润"}]
    for number, (year, (revenue, profit)) in enumerate(facts.items(), 1):
        hit = (f"苹果公司 {year} 财年年报", f"https://investor.example.com/apple/10k-{year}",
               f"{year} 财年营收 {revenue}美元，净利润 {profit}美元。")  # fmt: skip
        rows.append({"round": number, "tool": "web_search", "args": {"query": f"苹果公司 {year} 财报"},
                     "result": listing(hit), "error": False, "seconds": 2.4, "tokens": 900 + number})  # fmt: skip
    rows.append({"round": 4, "tool": None, "seconds": 3.1, "tokens": 1400,
                 "text": "营收：3943、3833、3910 亿美元；净利润：998、970、937 亿美元（2022、2023、2024 财年）。"})  # fmt: skip
    return lines(rows)


def paging() -> str:
    """Return a healthy run that reads the pages of one result list, then answers."""
    rows: list[dict[str, Any]] = [{"role": "user", "text": "List all papers of the 2025 workshop on agent loops."}]
    titles = [f"{a} {b}" for a in ("Detecting", "Bounding", "Explaining", "Repairing") for b in ("stalls", "retries", "plans")]
    for page in range(1, 5):
        hits = [(t, f"https://papers.example.org/wal25/{page}{i}", "Workshop on Agent Loops, 2025.")
                for i, t in enumerate(titles[3 * page - 3 : 3 * page])]  # fmt: skip
        rows.append({"round": page, "tool": "search_papers",
                     "args": {"query": "workshop agent loops 2025", "page": page},
                     "result": listing(*hits), "error": False, "seconds": 1.2})  # fmt: skip
    rows.append({"round": 5, "tool": None, "text": "Twelve papers: " + ", ".join(titles) + "."})
    return lines(rows)


def polling() -> str:
    """Return a healthy run that waits for a CI job: equal calls, results that move on."""
    states = ["queued", "running: 12 of 80 tests", "running: 37 of 80 tests", "running: 61 of 80 tests",
              "running: 80 of 80 tests", "success: 80 passed in 214 s"]  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"role": "user", "text": "Push the fix and tell me when CI is green."},
        {"round": 1, "tool": "bash", "args": {"command": "git push origin fix-timeout"},
         "result": "To git.example.org:team/app.git\n   3f1c2aa..9b0d7e1  fix-timeout -> fix-timeout",
         "error": False, "started": 1772442000, "seconds": 2.0},
    ]  # fmt: skip
    for number, state in enumerate(states, 2):
        rows.append({"round": number, "tool": "get_job_status", "args": {"job": "ci/9b0d7e1"},
                     "result": state, "error": False, "started": 1772441970 + 45 * number, "seconds": 0.4})  # fmt: skip
    rows.append({"round": 8, "tool": None, "text": "CI is green: 80 tests passed.", "started": 1772442300})
    return lines(rows)


def synonyms() -> str:
    """Return a loop that no comparison of queries sees: every query is new, every page is old."""
    queries = ["heat pump running cost Munich", "annual electricity expense of an air-source unit in Bavaria",
               "what do households there pay for electric space warming", "yearly bill residential thermodynamic heater south Germany",
               "consumption charges inverter outdoor compressor Upper Bavaria home"]  # fmt: skip
    hits = (("Heat pumps explained", "https://energy.example.org/heat-pumps", "How a heat pump moves heat."),
            ("Subsidies 2026", "https://energy.example.org/subsidies", "Which grants are open."))  # fmt: skip
    rows: list[dict[str, Any]] = [{"role": "user", "text": "What does a heat pump cost to run in Munich?"}]
    for number, query in enumerate(queries, 1):
        rows.append({"round": number, "tool": "web_search", "args": {"query": query}, "result": listing(*hits),
                     "error": False, "seconds": 4.0, "cost": 0.002})  # fmt: skip
    rows.append({"round": 6, "tool": None, "text": "I could not find the running cost.", "seconds": 2.0})
    return lines(rows)


FILES = {
    "incident.jsonl": incident,
    "boundary.jsonl": boundary,
    "year_series_zh.jsonl": year_series,
    "paging.jsonl": paging,
    "polling.jsonl": polling,
    "synonyms.jsonl": synonyms,
}
