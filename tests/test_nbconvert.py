"""A page that nbconvert makes of a notebook without widget state shows the still pictures."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter

import agentlens as al


@pytest.fixture(scope="module")
def shown(root) -> str:
    """Return the HTML of a notebook whose cells hold a Lens and a scene of the lesson."""
    widgets: tuple[Any, ...] = (
        al.Lens(str(root / "sample_traces" / "incident.jsonl"), "classic"),
        al.TriggerAmplifier(scene=3),
    )
    cells = []
    for widget in widgets:
        bundle = widget._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        output = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
        cells.append(nbformat.v4.new_code_cell("widget", outputs=[output], execution_count=1))
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(
        nbformat.v4.new_notebook(cells=cells)
    )
    return html


def test_both_are_pictures_and_say_what_they_show(shown: str):
    assert shown.count("<svg") >= 2
    assert "Would have stopped before round 3 of 5" in shown
    assert "widget-view+json" not in shown


def test_nothing_of_ours_is_a_script_or_comes_from_elsewhere(shown: str):
    assert "<script" not in shown
    assert 'src="http' not in shown
