"""From a pointer's move to the painted frame, measured inside the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["ARM", "drag", "percentile"]

#: Waits for the next pointer move, then for the frame after the one that shows a change of
#: ``read()``. What changed before a frame's callbacks end is in that frame; a task posted by a
#: callback runs after its frame is painted. So: changed by then, and the next callback comes
#: after the paint; changed later, and one more frame is needed.
ARM = """(element, body) => {
  const read = new Function('element', 'return ' + body).bind(null, element);
  const before = read();
  window.__paint = new Promise((resolve, reject) => {
    addEventListener('pointermove', (event) => {
      let shown = false, frames = 0;
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { shown = shown || read() !== before; };
      const frame = () => {
        if (shown) return resolve(performance.now() - event.timeStamp);
        if (++frames > 600) return reject(new Error('nothing changed: ' + before));
        channel.port2.postMessage(0);
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }, {capture: true, once: true});
  });
}"""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(round(share * len(ordered), 9)) - 1)]


def drag(
    page: Any,
    grip: Any,
    body: str,
    start: tuple[float, float],
    places: Sequence[tuple[float, float]],
) -> list[float]:
    """Drag a grip through some places and return the milliseconds of each move.

    Parameters
    ----------
    page
        Playwright's page.
    grip
        Locator of what is dragged.
    body
        JavaScript expression over ``element`` (the grip) that changes when the move shows.
    start, places
        Where the pointer takes hold, and where it goes then, in CSS pixels of the window.
    """
    page.mouse.move(*start)
    page.mouse.down()
    times = []
    for number, (x, y) in enumerate(places):
        grip.evaluate(ARM, body)
        page.mouse.move(x, y)
        lag = page.evaluate("window.__paint")
        page.wait_for_timeout(20 + 7 * (number % 5))  # moves shall not keep step with the frames
        times.append(float(lag))
    page.mouse.up()
    return times
