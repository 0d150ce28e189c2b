"""The scenes in their order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from agentlens.figures.lesson.bags import BAGS
from agentlens.figures.lesson.game import BREAK_IT
from agentlens.figures.lesson.hook import HOOK, PREDICT
from agentlens.figures.lesson.incident import INCIDENT_VIEW
from agentlens.figures.lesson.lab import LAB
from agentlens.figures.lesson.own import OWN
from agentlens.figures.lesson.price import PRICE
from agentlens.figures.lesson.product import PRODUCT
from agentlens.figures.lesson.scene import Scene
from agentlens.figures.lesson.stairs import STAIRS
from agentlens.figures.lesson.worst import WORST

__all__ = ["LESSON", "PARTS", "SCENES"]

#: The lesson's scenes, by their number.
LESSON: tuple[Scene, ...] = (HOOK, PREDICT, PRODUCT, WORST, BAGS, BREAK_IT, STAIRS, PRICE, OWN)

#: Scenes that stand alone.
PARTS: tuple[Scene, ...] = (LAB, INCIDENT_VIEW)

#: All scenes by name.
SCENES: Mapping[str, Scene] = MappingProxyType({s.name: s for s in (*LESSON, *PARTS)})
