"""The drawing of the machine is drawn from its table, and lights what a run did."""

from __future__ import annotations

import math
import re

import networkx as nx
import pytest

import agentlens as al
from agentlens import figures
from agentlens.breaker.machine import EVENTS, STATES, TABLE, TERMINALS, Machine
from agentlens.errors import PolicyError
from agentlens.figures.machine_layout import BOX, PLACES, ROUTES, SIZE, curve, route_of
from agentlens.figures.theme import DARK, LIGHT
from agentlens.figures.words import say
from tests.browser.stage_page import searches

INCIDENT = searches(["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"])


def plain(text: str) -> str:
    return re.sub(r"<[^>]+>", " ", text).replace("  ", " ").strip()


def lit(figure) -> set[str]:
    return {
        " ".join(plain(bold).split())
        for a in figure.layout.annotations
        for bold in re.findall(r"<b>(\d.*?)</b>", a.text.replace("<br>", " "))
    }


def test_the_graph_holds_every_row_of_the_table():
    graph = figures.machine_graph()
    assert isinstance(graph, nx.MultiDiGraph)
    assert set(graph) == set(STATES)
    edges = {(a, d["event"], b, d["given"], d["usable"]) for a, b, d in graph.edges(data=True)}
    assert edges == {(a.source, a.event, a.target, a.given, a.usable) for a in TABLE}
    assert {n for n, d in graph.nodes(data=True) if d["terminal"]} == TERMINALS


def test_every_row_has_a_curve_that_runs_from_border_to_border():
    assert {route_of(arc) for arc in TABLE} == set(ROUTES)
    for (source, target, _), _route in ROUTES.items():
        points = curve((source, target, _))
        for state, (x, y) in ((source, points[0]), (target, points[-1])):
            dx, dy = abs(x - PLACES[state][0]), abs(y - PLACES[state][1])
            on_side = math.isclose(dx, BOX[0] / 2) and dy <= BOX[1] / 2
            on_edge = math.isclose(dy, BOX[1] / 2) and dx <= BOX[0] / 2
            assert on_side or on_edge, (source, target)
        assert all(0 <= x <= SIZE[0] and 0 <= y <= SIZE[1] for x, y in points)


def test_no_curve_runs_through_a_state():
    for key in ROUTES:
        for x, y in curve(key)[1:-1]:
            for px, py in PLACES.values():
                inside = abs(x - px) < BOX[0] / 2 - 1 and abs(y - py) < BOX[1] / 2 - 1
                assert not inside, key


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_state_and_event_is_named(lang):
    figure = figures.state_machine(lang=lang)
    shown = " | ".join(plain(a.text) for a in figure.layout.annotations)
    for state in STATES:
        assert say(lang, f"state_{state}") in shown
    for event in EVENTS:
        assert say(lang, f"event_{event}") in shown
    assert lit(figure) == set()


def test_given_transitions_are_solid_and_added_ones_dashed():
    figure = figures.state_machine()
    dashes = sorted(trace.line.dash for trace in figure.data)
    given = len({route_of(a) for a in TABLE if a.given})
    assert dashes == sorted(["solid"] * given + ["5px,4px"] * (len(ROUTES) - given))


def test_the_path_of_a_replay_is_lit():
    figure = figures.state_machine(al.replay(INCIDENT, "classic"))
    assert lit(figure) == {"1 · no progress", "2 · replan exhausted", "3 · partial saved"}
    bold = [trace for trace in figure.data if trace.line.width == 3]
    assert len(bold) == 3
    assert {t.line.color for t in bold} == {LIGHT["accent"]}
    fills = {shape.fillcolor for shape in figure.layout.shapes}
    assert LIGHT["partial"] in fills  # where it is
    assert "3 · 部分结果已保存" in lit(
        figures.state_machine(al.replay(INCIDENT, "classic"), lang="zh")
    )


def test_a_machine_at_work_is_lit_up_to_where_it_is():
    machine = Machine()
    machine.fire("no_progress", round=3, cause="<b>count</b> 2 of 2")
    machine.fire("novel_plan", round=3)
    machine.fire("no_progress", round=5)
    figure = figures.state_machine(machine, theme="dark")
    assert lit(figure) == {"1, 3 · no progress", "2 · novel plan"}
    assert DARK["stalled"] in {shape.fillcolor for shape in figure.layout.shapes}
    hover = next(t.hovertext for t in figure.data if "no progress" in t.hovertext)
    assert "1 · round 3 · &lt;b&gt;count&lt;/b&gt; 2 of 2" in hover  # untrusted: escaped


@pytest.mark.parametrize(
    ("usable", "words"), [(True, "something usable"), (False, "nothing usable")]
)
def test_one_of_two_targets_is_lit(usable, words):
    machine = Machine("finalizing")
    machine.fire("finalizer_budget_hit", usable=usable)
    assert lit(figures.state_machine(machine)) == {f"1 · reserve used up, {words}"}
    assert lit(figures.state_machine(machine.path)) == {f"1 · reserve used up, {words}"}


def test_a_run_that_never_tripped_is_running():
    calm = searches(["天气", "能源补贴政策"])
    figure = figures.state_machine(al.replay(calm, "classic"))
    assert lit(figure) == set()
    assert LIGHT["running"] in {shape.fillcolor for shape in figure.layout.shapes}


def test_a_theme_or_language_that_is_none_is_refused():
    with pytest.raises(PolicyError, match="theme"):
        figures.state_machine(theme="blue")
    with pytest.raises(PolicyError, match="lang"):
        figures.state_machine(lang="fr")
