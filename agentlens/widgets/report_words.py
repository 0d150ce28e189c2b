"""What a report says around the stage, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["WORDS"]

_EN = {
    "title": "Where {} went in circles",
    "thread": "Thread",
    "search": "Search in the run",
    "found": "{} of {} rounds",
    "more": "Show more",
    "rounds": "Rounds",
    "at": "Counts at similarity {}, threshold {}.",
    "round": "Round",
    "asked": "Query or tools",
    "score": "Score",
    "count": "Count",
    "state": "State",
    "selected": "The selected round",
    "policy": "Policy",
    "about": "About this report",
    "source": "Log",
    "format": "Format",
    "made": "Made with",
    "hidden": "Masked",
    "nothing_hidden": "No secret was found in what is shown.",
    "not_redacted": "Nothing is masked in this report.",
    "notes": "Notes of the reader",
    "no_script": "The picture stands still, since this page may run no script.",
}

_ZH = {
    "title": "{} 在哪里绕圈",
    "thread": "线程",
    "search": "在本次运行中搜索",
    "found": "{} / {} 轮",
    "more": "显示更多",
    "rounds": "各轮",
    "at": "计数按相似度 {}、阈值 {}。",
    "round": "轮次",
    "asked": "查询或工具",
    "score": "得分",
    "count": "计数",
    "state": "状态",
    "selected": "所选轮次",
    "policy": "策略",
    "about": "关于本报告",
    "source": "日志",
    "format": "格式",
    "made": "生成工具",
    "hidden": "已遮盖",
    "nothing_hidden": "所示内容中没有发现密钥。",
    "not_redacted": "本报告没有遮盖任何内容。",
    "notes": "读取说明",
    "no_script": "本页不能运行脚本，图是静止的。",
}

WORDS: Mapping[str, Mapping[str, str]] = {"en": _EN, "zh": _ZH}
