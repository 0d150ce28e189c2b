"""What the stage says in each state, how it follows the theme, and what it never does."""

from __future__ import annotations

import pytest

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.figures.still import text
from agentlens.trace.build import TraceBuilder
from tests.browser.stage_page import searches

pytestmark = pytest.mark.browser

INCIDENT = searches(
    ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"], seconds=7.175
)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("threshold", [1, 2, 3, 5, 9])
def test_words_equal_those_of_python(show, lang, threshold):
    policy = Policy.preset("classic", threshold=threshold)
    page = show(INCIDENT, policy, lang=lang)
    said = [page.text(s) for s in (".al-verdict", ".al-reason:not(.al-other)", ".al-other")]
    assert "\n".join(filter(None, said)) == text(replay(INCIDENT, policy), lang)


def test_nothing_of_a_trace_becomes_markup(show):
    evil = '<img src=x onerror="window.hit=1"><b>x</b> </script><script>window.hit=1</script>'
    page = show(searches([evil, evil, evil + " more"]), plotly=True)
    box = page.page.locator(".al-plot").bounding_box()
    page.page.mouse.move(box["x"] + 400, box["y"] + 80)
    page.settle()
    assert page.page.evaluate("window.hit") is None
    assert page.page.locator(".al-stage img, .al-stage b, .al-stage script").count() == 0
    assert "<img" in page.text(".al-tip")


def test_empty_states_have_words(show):
    assert "no rounds" in show(TraceBuilder("plain").finish()).text(".al-verdict")
    other = TraceBuilder("plain")
    other.call(other.round(), "lookup", {"term": "x"})
    none = "No search was recognised among 1 call."
    trace = other.finish()
    page = show(trace, Policy.preset("classic"))
    assert page.text(".al-verdict") == none
    assert "lookup" in page.text(".al-reason")
    assert page.handle("similarity").is_hidden()
    page = show(trace)  # rules that look at any call have an answer first
    assert page.text(".al-verdict") == "Would not have stopped in 1 round."
    assert page.text(".al-reason") == none


def test_no_network_and_clean_unmount(show):
    page = show(INCIDENT, plotly=True)
    assert {url.rsplit("/", 1)[1] for url in page.asked} <= {"favicon.ico"}
    assert page.page.evaluate("window.model.sent.length") == 1
    page.page.evaluate("window.unmount()")
    page.put("threshold", 3)
    assert page.page.locator(".al-stage").count() == 0
    assert page.page.evaluate("Object.values(window.model.heard).flat().length") == 0


def test_loading_is_said_and_a_payload_may_come_later(show):
    page = show(INCIDENT, payload={}, similarity=[4, 5], threshold=2)
    assert page.text(".al-verdict") == "…"
    assert page.page.locator(".al-body").is_hidden()
    later = show(INCIDENT)
    page.page.evaluate(
        "(p) => window.model.put('payload', p)", later.page.evaluate("window.model.get('payload')")
    )
    assert page.text(".al-verdict").startswith("Would have stopped before round 3")


def test_a_selected_round_is_told_to_a_screen_reader(show):
    page = show(INCIDENT)
    page.page.locator(".al-plot").focus()
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    page.settle()
    told = page.page.locator("[role=status]").text_content()
    assert told.startswith(
        "round 3 · search; 今日天气 晴雨; repeats round 1, “天气”: 2 of 2 tokens"
    )


def test_a_history_that_needs_python_is_marked_until_it_answers(show):
    """With `clear_on_progress` the browser cannot recount a new similarity: it waits for Python."""
    page = show(INCIDENT, Policy.preset("classic", clear_on_progress=True))
    assert not page.page.evaluate("document.querySelector('.al-stale') !== null")
    page.press("similarity", "Shift+ArrowDown")
    assert page.page.evaluate("document.querySelector('.al-stale') !== null")


@pytest.mark.parametrize(("dark", "theme"), [(False, "light"), (True, "dark")])
def test_the_theme_follows_the_page_or_is_forced(show, dark, theme):
    page = show(INCIDENT, dark=dark)
    root = page.page.locator(".al-stage")
    assert root.get_attribute("data-theme") == theme
    other = "light" if dark else "dark"
    page.put("theme", other)
    assert root.get_attribute("data-theme") == other
    page.put("theme", "auto")
    page.page.evaluate(
        "(c) => { document.body.style.background = c; }", "#fff" if dark else "#111418"
    )
    page.page.wait_for_function(
        "(t) => document.querySelector('.al-stage').dataset.theme === t", arg=other
    )
