"""Make docs/images/lesson: every scene of the lesson in Chromium, both themes and languages.

``python docs/make_lesson_images.py [en|zh] [light|dark]`` needs Chromium and a font with Chinese
characters.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images" / "lesson"


def take(chromium: Any, lang: str, theme: str) -> list[Path]:
    """Take the pictures of all scenes in one language and theme."""
    import agentlens as al
    from agentlens.figures.lesson.scenes import LESSON
    from benchmarks.bare import BarePage

    made = []
    for number, scene in enumerate(LESSON):
        view = al.TriggerAmplifier(lang=lang, scene=number)
        shown = BarePage(chromium, view, width=832, dark=theme == "dark", live=True)
        shown.page.locator(".al-point").wait_for()
        target = IMAGES / f"{number}-{scene.name}-{lang}-{theme}.png"
        shown.page.locator(".al-lesson").screenshot(path=target)
        shown.page.close()
        made.append(target)
    return made


def main(wanted: list[str]) -> int:
    """Take the pictures of the languages and themes that are named, or all of them."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.lab import browser

    IMAGES.mkdir(parents=True, exist_ok=True)
    with browser() as chromium:
        for lang in [name for name in ("en", "zh") if name in wanted] or ("en", "zh"):
            for theme in [n for n in ("light", "dark") if n in wanted] or ("light", "dark"):
                for target in take(chromium, lang, theme):
                    size = target.stat().st_size / 1000
                    print(f"{target.relative_to(ROOT)}: {size:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
