"""The stage's traits, without a browser."""

from __future__ import annotations

import gzip
from fractions import Fraction

import pytest
import traitlets

import agentlens as al
from agentlens.widgets.lens.payload import stage_payload
from agentlens.widgets.lens.stage import Stage
from agentlens.widgets.plotly_source import plotly_gzip
from tests.browser.stage_page import searches

INCIDENT = searches(["天气", "今日天气 气温", "今日天气 晴雨"])


@pytest.fixture
def stage():
    made = Stage()
    yield made
    made.close()


def test_a_payload_brings_its_setting(stage):
    stage.selected = 2
    policy = al.Policy.preset("classic", similarity="5/6", threshold=3)
    stage.show(stage_payload(al.replay(INCIDENT, policy)), x="time")
    assert Fraction(*stage.similarity) == Fraction(5, 6)
    assert (stage.threshold, stage.selected, stage.x) == (3, -1, "time")


def test_similarity_is_kept_reduced(stage):
    stage.similarity = [80, 100]
    assert stage.similarity == [4, 5]


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("similarity", [5, 4]), ("similarity", [0, 1]), ("similarity", [1, 0]),
        ("similarity", [1]),
        ("similarity", [0.5, 1]), ("threshold", 0), ("selected", -2), ("trip", -2),
        ("x", "space"), ("lang", "fr"), ("theme", "pink"), ("payload", {"n": 1}),
        ("confirmed", {"trip": 1}),
    ],
)  # fmt: skip
def test_traits_refuse_what_they_cannot_hold(stage, trait, value):
    before = getattr(stage, trait)
    with pytest.raises(traitlets.TraitError):
        setattr(stage, trait, value)
    assert getattr(stage, trait) == before


def test_plotly_is_sent_when_asked_for(stage, monkeypatch):
    sent = []
    monkeypatch.setattr(
        stage, "send", lambda content, buffers=None: sent.append((content, buffers))
    )
    stage._handle_custom_msg({"type": "plotly?"}, [])
    stage._handle_custom_msg({"type": "something else"}, [])
    stage._handle_custom_msg("not even a dict", [])
    assert [content for content, _ in sent] == [{"type": "plotly"}]
    source = gzip.decompress(sent[0][1][0]).decode("utf-8")
    assert "window.Plotly" in source
    assert len(plotly_gzip()) < 2_500_000
