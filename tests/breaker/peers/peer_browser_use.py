"""browser-use's loop detector, asked and told in the order in which its agent does."""

from __future__ import annotations

import os
import re

os.environ.update(ANONYMIZED_TELEMETRY="false", BROWSER_USE_SETUP_LOGGING="false")

from browser_use.agent.views import ActionLoopDetector

from tests.breaker.peers.draw import Row, rounds_of
from tests.breaker.peers.words import BROWSER

PACKAGE, WORDS, SEED = "browser-use", BROWSER, 12
_EXEMPT = ("wait", "done", "go_back")


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the first rounds after which its next prompt says what it says, by number."""
    detector = ActionLoopDetector()
    found = {"5": [], "8": [], "12": [], "page": []}
    for held in rounds_of(rows):
        for row in held:
            if row["tool"] not in _EXEMPT:
                detector.record_action(row["tool"], row["args"])
        page = held[-1]["result"]
        detector.record_page_state("https://example.org", page, len(page))
        said = detector.get_nudge_message() or ""
        times = re.search(r"similar action (\d+) times", said)
        for level in ("5", "8", "12"):
            if times and int(times[1]) >= int(level) and not found[level]:
                found[level].append(held[0]["round"])
        if "has not changed" in said and not found["page"]:
            found["page"].append(held[0]["round"])
    return found
