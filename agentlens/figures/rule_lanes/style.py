"""The style sheet of the lanes as HTML.

A mark is neither moved by a transform nor faded by an opacity: each of those is a step of its own
whenever a browser puts the page together, and a long run has hundreds of marks.
"""

from __future__ import annotations

from agentlens.figures.theme import MID

__all__ = ["STYLE"]

#: Needed once beside the rows; colours hold 3 : 1 on white and on #111418 alike.
STYLE = f"""<style>
.al-lanes {{font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans CJK SC",
  "PingFang SC", "Microsoft YaHei", sans-serif; font-variant-numeric: tabular-nums;
  max-width: 1000px; color: var(--jp-ui-font-color1, currentColor);}}
.al-lanes summary {{display: grid; grid-template-columns: minmax(96px, 168px) 1fr 148px;
  column-gap: 10px; align-items: center; min-height: 22px; cursor: pointer; list-style: none;}}
.al-lanes summary::-webkit-details-marker {{display: none;}}
.al-lanes summary:focus-visible {{outline: 2px solid {MID["accent"]}; outline-offset: 1px;}}
.al-lanes .al-name {{text-align: right; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap;}}
.al-lanes .al-own {{font-weight: 600;}}
.al-lanes .al-silent {{opacity: .65;}}
.al-lanes .al-strip {{position: relative; height: 18px;
  background: linear-gradient(rgba(138, 148, 160, .45) 0 0) 0 50% / 100% 1px no-repeat;}}
.al-lanes i {{box-sizing: border-box; width: var(--wide); height: var(--high, var(--wide));
  --shade: color-mix(in srgb, var(--hue) var(--share, 100%), transparent);}}
.al-lanes .al-strip i {{position: absolute; top: 0; bottom: 0;
  margin: auto 0 auto calc(var(--wide) / -2);}}
.al-lanes .al-nudge {{--wide: 9px; --hue: {MID["trigger"]}; border-radius: 50%;}}
.al-lanes .al-block {{--wide: 9px; --hue: {MID["stalled"]};}}
.al-lanes .al-nudge, .al-lanes .al-block {{background: var(--shade);
  border: 1.5px solid var(--shade);}}
.al-lanes .al-wait {{--wide: 8px; background: {MID["waiting_human"]}; rotate: 45deg;}}
.al-lanes .al-stop {{--wide: 4px; --high: 18px; --hue: {MID["trip"]}; background: var(--shade);}}
.al-lanes .al-nudge.al-later, .al-lanes .al-block.al-later {{background: transparent;}}
.al-lanes .al-stop.al-later {{--wide: 2px;}}
.al-lanes .al-past {{--share: 50%;}}
.al-lanes .al-miss {{--wide: 9px; --high: 14px;}}
.al-lanes .al-miss::before {{content: "×"; font: 14px/1 system-ui, sans-serif;
  color: {MID["muted"]}; display: block;}}
.al-lanes .al-warned {{--wide: 10px; --high: 9px; border: 5px solid transparent;
  border-top: 0; border-bottom: 9px solid {MID["trigger"]};}}
.al-lanes .al-strip .al-gone {{--high: 10px; --share: 60%; --hue: {MID["trip"]}; margin-left: 0;
  background: repeating-linear-gradient(135deg, var(--shade) 0 1px, transparent 1px 6px);}}
.al-lanes .al-strip .al-ignored {{--high: 4px; --share: 55%; --hue: {MID["trigger"]};
  margin-left: 0; background: var(--shade);}}
.al-lanes ul {{margin: 2px 0 8px; padding-left: 18px; max-width: 76ch; overflow-wrap: anywhere;}}
.al-lanes .al-key {{display: flex; flex-wrap: wrap; gap: 2px 18px; font-size: 12px; opacity: .8;
  margin: 4px 0;}}
.al-lanes .al-key .al-stop {{--high: 12px;}}
.al-lanes i, .al-lanes .al-strip {{print-color-adjust: exact; forced-color-adjust: none;}}
.al-lanes .al-key i {{display: inline-block; vertical-align: -1px; margin-right: 5px;}}
.al-lanes .al-ticks {{display: grid; grid-template-columns: minmax(96px, 168px) 1fr 148px;
  column-gap: 10px; font-size: 12px; opacity: .8;}}
.al-lanes .al-ticks div {{position: relative; height: 18px;}}
.al-lanes .al-ticks b {{position: absolute; font-weight: 400; transform: translateX(-50%);}}
.al-lanes table {{border-collapse: collapse; font-size: 12px; display: block; overflow-x: auto;}}
.al-lanes th, .al-lanes td {{text-align: left; vertical-align: top; padding: 2px 12px 2px 0;}}
.al-lanes .al-plain > summary, .al-lanes .al-rest > summary {{display: list-item;
  list-style: disclosure-closed inside; padding: 4px 0;}}
@media (max-width: 620px) {{.al-lanes summary, .al-lanes .al-ticks
  {{grid-template-columns: 100px 1fr 92px; column-gap: 6px; font-size: 11px;}}
  .al-lanes .al-pre {{display: none;}}}}
</style>"""
