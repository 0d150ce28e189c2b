"""The plotly figures and the networkx graph hold the replay's numbers; pixels are not looked at."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import plotly.graph_objects as go
import pytest

import agentlens as al
from agentlens import figures
from agentlens.thresholds.surface import surface
from agentlens.trace.build import TraceBuilder
from tests.browser.stage_page import searches

INCIDENT = searches(
    ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"], seconds=7.175
)
BOUNDARY = searches(["今日天气 气温", "今日天气 晴雨", "今日天气 风力"])


def trip_lines(figure):
    return [s.x0 for s in figure.layout.shapes if s.type == "line" and s.yref == "paper"]


def test_the_call_graph_places_calls_by_round_and_lane():
    figure = figures.call_graph(al.replay(INCIDENT, "classic"))
    nodes = [t for t in figure.data if t.mode == "markers"]
    assert len(nodes) == 1  # one cluster
    assert list(nodes[0].x) == [0, 1, 2, 3, 4]
    assert list(nodes[0].y) == [0] * 5
    assert list(nodes[0].marker.line.width) == [0, 3, 3, 3, 3]  # ringed by containment
    assert list(nodes[0].marker.opacity) == [1, 1, 0.4, 0.4, 0.4]  # from the trip on
    assert trip_lines(figure) == [1.5]
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "3", "4", "5"]
    arcs = next(t for t in figure.data if t.mode == "lines")
    ends = [(arcs.x[i * 14], arcs.x[i * 14 + 12]) for i in range(4)]
    assert ends == [(0, 1), (0, 2), (0, 3), (0, 4)]


def test_time_is_an_axis_where_there_are_times():
    figure = figures.call_graph(al.replay(INCIDENT, "classic"), x="time")
    assert list(figure.data[1].x) == pytest.approx([7.175 * (k + 0.5) for k in range(5)])
    assert trip_lines(figure) == pytest.approx([14.35])
    without = figures.call_graph(al.replay(BOUNDARY, "classic"), x="time")
    assert list(without.data[1].x) == [0, 1, 2]


def test_the_timeline_shows_scores_counts_and_states():
    figure = figures.timeline(al.replay(INCIDENT, al.Policy.preset("classic", threshold=3)))
    scores, counts, *bars = figure.data
    assert list(scores.y) == [0, 1, 1, 1, 1]
    assert list(counts.y) == [0, 0, 1, 1, 2, 2, 3, 3, None, None]
    assert list(counts.x) == [-0.5, 0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5]
    assert counts.yaxis == "y2"
    spans = {bar.name: (bar.base[0], bar.base[0] + bar.x[0]) for bar in bars}
    assert spans == {"running": (-0.5, 2.5), "stalled": (2.5, 3.5), "partial": (3.5, 4.5)}
    levels = [s.y0 for s in figure.layout.shapes if s.xref == "paper"]
    assert levels == [0.8, 3]
    assert trip_lines(figure) == [2.5]


def test_the_trip_map_has_exact_borders():
    figure = figures.trip_map(surface(BOUNDARY, al.Policy.preset("classic")))
    heat = figure.data[0]
    assert list(heat.x) == [0.0, 0.8, 1.0]
    grid = np.array(heat.z, dtype=float)
    assert grid[:2, 0].tolist() == [2, 3]  # thresholds 1 and 2 up to 4/5
    assert np.isnan(grid[:, 1]).all()
    assert np.isnan(grid[2:]).all()
    named = {t.name for t in figure.data[1:]}
    assert any("no query is that similar" in name for name in named)
    assert any("never gets that high" in name for name in named)
    ring = figure.layout.shapes[0]
    assert (ring.x0, ring.x1, ring.y0, ring.y1) == (0.0, 0.8, 1.5, 2.5)


def test_the_trip_map_names_what_lies_between_the_trips_and_the_unreachable():
    """The third query is the first again, the second shares half: above 0.5 the count is 1."""
    figure = figures.trip_map(
        surface(searches(["a b c d e f", "a b c x y z", "a b c d e f"]), "classic")
    )
    named = {t.name: list(t.x[:2]) + list(t.y[1:3]) for t in figure.data[1:]}
    between = next(box for name, box in named.items() if name.startswith("no stop: at this"))
    assert between == [0.5, 1, 1.5, 2.5]
    assert len(named) == 2


def test_the_trip_map_says_what_every_replay_says(count):
    """Brute force: replay in the middle of every cell and at its upper border."""
    trace = searches(
        ["a1 b1 c1", "a1 b1 d1 e1", "a1 b1 c1 d1 e1", "a1 x1", "a1 b1 c1 f1", "b1 c1 d1 g1"]
    )
    for measure in ("containment", "jaccard", "dice", "cosine"):
        heat = figures.trip_map(
            surface(trace, al.Policy.preset("classic", measure=measure)), rows=6
        ).data[0]
        for k, line in enumerate(heat.z, 1):
            for low, high, cell in zip(heat.x[:-1], heat.x[1:], line, strict=True):
                probe = Fraction((low + high) / 2).limit_denominator(10**5)
                trip = al.replay(
                    trace,
                    al.Policy.preset("classic", measure=measure, similarity=probe, threshold=k),
                ).trip
                assert (None if np.isnan(cell) else cell) == (trip.round if trip else None)


def test_the_graph_can_be_taken_away():
    made = figures.graph(al.replay(INCIDENT, "classic"))
    assert made.is_directed()
    assert sorted(made) == [1, 2, 3, 4, 5]
    assert made.nodes[3]["query"] == "今日天气 晴雨"
    assert made.nodes[3]["cluster"] == "A"
    assert made.nodes[3]["counterfactual"] is True
    assert made.nodes[2]["state"] == "running"
    kinds = {(a, b): data["kind"] for a, b, data in made.edges(data=True)}
    assert {edge for edge, kind in kinds.items() if kind == "sequence"} == {
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
    }
    assert {edge for edge, kind in kinds.items() if kind == "match"} == {
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 1),
    }
    assert (made.edges[3, 1]["score_num"], made.edges[3, 1]["score_den"]) == (2, 2)


def test_text_of_a_trace_is_escaped_and_masked_in_hovers():
    key = "sk-" + "a1B2" * 8
    trace = searches([f"<b>x</b> {key}"] * 3)
    for figure in (
        figures.call_graph(al.replay(trace, "classic")),
        figures.timeline(al.replay(trace, "classic")),
    ):
        shown = figure.to_json()
        assert key not in shown
        assert "<b>x" not in shown
        assert "\\u003cb\\u003ex" not in shown


def test_nothing_to_show_is_no_error():
    empty = al.replay(TraceBuilder("plain").finish(), "classic")
    for make in (figures.call_graph, figures.timeline):
        assert isinstance(make(empty), go.Figure)
    assert len(figures.graph(empty)) == 0
    assert isinstance(
        figures.trip_map(surface(empty.trace, al.Policy.preset("classic"))), go.Figure
    )


@pytest.mark.parametrize("options", [{"theme": "pink"}, {"lang": "fr"}, {"x": "space"}])
def test_wrong_options_are_named(options):
    with pytest.raises(al.PolicyError, match=next(iter(options.values()))):
        figures.timeline(al.replay(INCIDENT, "classic"), **options)


def test_names_are_those_of_the_package():
    assert set(figures.__all__) <= set(dir(figures))
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        figures.pie  # noqa: B018
