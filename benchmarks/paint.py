"""From a pointer's move to the painted frame, measured inside the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["ARM", "MOVES", "drag", "percentile", "zigzag"]

MOVES = 30

#: Waits for the next pointer move, then for the frame that shows a change of ``read()``. A task
#: that a frame's callback posts runs once that frame's style, layout and paint are done: what has
#: changed by then is in that frame. Returns the milliseconds from the move to that task, and to
#: the start of the next frame, which is an upper bound that counts waiting for the display.
ARM = """(element, body) => {
  const read = new Function('element', 'return ' + body).bind(null, element);
  const before = read();
  window.__paint = new Promise((resolve, reject) => {
    addEventListener('pointermove', (event) => {
      let painted = 0, frames = 0;
      const since = () => performance.now() - event.timeStamp;
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { if (!painted && read() !== before) painted = since(); };
      const frame = () => {
        if (painted) return resolve([painted, since()]);
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


def zigzag(
    handle: Any, step: tuple[int, int], gap: int
) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """Return the middle of a handle and places there and back, each a step from the last."""
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    dx, dy = step
    half = MOVES // 2
    steps = [i if i < half else 2 * half - i - 0.5 for i in range(MOVES)]
    ways = [1 + gap / 3 + i for i in steps]
    return (x, y), [(x + dx * way, y + dy * way) for way in ways]


def drag(
    page: Any,
    grip: Any,
    body: str,
    start: tuple[float, float],
    places: Sequence[tuple[float, float]],
) -> list[tuple[float, float]]:
    """Drag a grip through some places; return each move's milliseconds to paint and next frame.

    Parameters
    ----------
    page
        Playwright's page.
    grip
        What is dragged, an element or a locator.
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
        times.append((float(lag[0]), float(lag[1])))
    page.mouse.up()
    return times
