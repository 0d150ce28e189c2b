"""What a guarantee allows on a surface that is known already: no run is read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens.thresholds.guarantee import safe_settings
from agentlens.thresholds.intervals import at_most, runs_needed
from agentlens.thresholds.paths import SIMILARITIES

if TYPE_CHECKING:
    from agentlens.thresholds.corpus_surface import CorpusSurface

__all__ = ["promised"]

_WORDS = {
    "en": (
        "similarity {s} at threshold {k}: {hits} of {n} good stopped, at most {bound:.1%} with "
        "{confidence:.0%} confidence; {loops} of {all} loops stopped",
        "needs {needed} good runs, has {n}",
        "none at threshold {k}: even similarity 1 stops {hits} of {n} good, which needs {needed}",
    ),
    "zh": (
        "阈值 {k} 下取相似度 {s}：停下 {n} 个好运行中的 {hits} 个，以 {confidence:.0%} 置信度至多 "
        "{bound:.1%}；停下 {all} 个循环中的 {loops} 个",
        "需要 {needed} 个好运行，现有 {n} 个",
        "阈值 {k} 下没有：即使相似度为 1 也停下 {n} 个中的 {hits} 个，需要 {needed} 个",
    ),
}  # fmt: skip


def promised(
    surface: CorpusSurface, threshold: int, share: float, confidence: float, lang: str = "en"
) -> str:
    """Say what Learn-then-Test allows at a threshold, as `agentlens.choose` would.

    The similarity walks the fixed path `SIMILARITIES`, whatever the runs hold.

    Parameters
    ----------
    surface
        The surface of the corpus.
    threshold
        Where the walk is.
    share, confidence
        Of good tasks that may be stopped, and with which the promise shall hold.
    lang
        ``en`` or ``zh``.
    """
    made, found, none = _WORDS[lang], surface.totals(threshold), 0
    ranks = [surface.column(s) - 1 for s in SIMILARITIES]
    hits = [int(found.stopped_good_tasks[r]) for r in ranks]
    loops = [int(found.stopped_loop_tasks[r]) for r in ranks]
    saved = [float(found.saved[r, 0]) for r in ranks]
    n = found.good_tasks
    safe = safe_settings(hits, n, share, 1 - confidence)
    if safe == none:
        fewest = min(hits)
        needed = runs_needed(share, confidence, fewest)
        return made[2 if fewest else 1].format(k=threshold, hits=fewest, n=n, needed=needed)
    best = max(range(safe), key=lambda at: (loops[at], saved[at], -at))
    return made[0].format(
        s=SIMILARITIES[best], k=threshold, hits=hits[best], n=n,
        bound=at_most(hits[best], n, confidence), confidence=confidence, loops=loops[best],
        all=found.loop_tasks,
    )  # fmt: skip
