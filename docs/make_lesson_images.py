"""Make docs/images/lesson: every scene of the lesson in JupyterLab, both themes and languages.

``python docs/make_lesson_images.py [en|zh] [light|dark]`` needs Chromium and a font with Chinese
characters.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images" / "lesson"


def take(chromium: Any, server: Any, lang: str, theme: str) -> list[Path]:
    """Take the pictures of all scenes in one language and theme."""
    from agentlens.figures.lesson.scenes import LESSON
    from benchmarks.page import NotebookPage

    cells = [f"import agentlens as al\nlesson = al.TriggerAmplifier(lang={lang!r})"]
    cells += [f"lesson.scene({n})" for n in range(len(LESSON))]
    notebook = server.write(f"lesson-{lang}-{theme}.ipynb", cells)
    made = []
    with NotebookPage(
        chromium, server, notebook, dark=theme == "dark", size=(1000, 8000), scale=1
    ) as page:
        page.command("application:toggle-left-area")
        page.run_all()
        page.page.locator(".al-lesson").nth(len(LESSON) - 1).wait_for()
        page.page.wait_for_timeout(1_500)
        for number, scene in enumerate(LESSON):
            target = IMAGES / f"{number}-{scene.name}-{lang}-{theme}.png"
            page.page.locator(".al-lesson").nth(number).screenshot(path=target)
            made.append(target)
    return made


def main(wanted: list[str]) -> int:
    """Take the pictures of the languages and themes that are named, or all of them."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.lab import LabServer, browser

    IMAGES.mkdir(parents=True, exist_ok=True)
    with LabServer() as server, browser() as chromium:
        for lang in [name for name in ("en", "zh") if name in wanted] or ("en", "zh"):
            for theme in [n for n in ("light", "dark") if n in wanted] or ("light", "dark"):
                for target in take(chromium, server, lang, theme):
                    size = target.stat().st_size / 1000
                    print(f"{target.relative_to(ROOT)}: {size:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
