"""Actions told in prose: typed, clicked, scrolled, opened, run."""

from __future__ import annotations

import time

import pytest

from agentlens.trace.formats.prose import action_of, fences

PAGE = "\n\nHere is a screenshot of [T - Search](https://www.bing.com/search?q=a+b%27s&form=Q)."


@pytest.mark.parametrize(
    ("text", "tool", "args"),
    [
        ("I typed 'a b' into the browser search bar.", "web_search", {"query": "a b"}),
        ("I typed 'a b' into 'Search all issues'.", "web_search", {"query": "a b"}),
        ("I typed 'a b's' into '0 characters out of 2000'." + PAGE, "web_search",
         {"query": "a b's"}),
        ("I typed 'x' into '0 characters out of 2000'." + PAGE, "input_text",
         {"text": "x", "element": "0 characters out of 2000"}),
        ("I typed 'e.org' into the browser address bar.", "visit_url", {"url": "e.org"}),
        ("I input '01/01/2000'.\n\nHere", "input_text", {"text": "01/01/2000"}),
        ("I clicked 'It's 5. o'clock'.\n\nHere", "click", {"element": "It's 5. o'clock"}),
        ("I clicked 'two\nlines'.", "click", {"element": "two\nlines"}),
        ("I clicked the control.", "click", {"element": "the control"}),
        ("I scrolled down one page in the browser.", "scroll_down", {}),
        ("Address: file:///a.pdf\nTitle: a\n", "open_file", {"path": "file:///a.pdf"}),
        ("The page says so.", "WebSurfer", {"instruction": "read it"}),
    ],
)  # fmt: skip
def test_an_action_is_read_from_its_sentence(text, tool, args):
    assert action_of("WebSurfer", text, "read it")[:2] == (tool, args)


def test_what_the_terminal_ran_is_the_code_before():
    said = "The script ran, then exited with Unix exit code: 2\nIts output was:\nx"
    tool, args, result, status = action_of("ComputerTerminal", said, "run it", "```sh\nls\n```")
    assert (tool, args, status) == ("run_code", {"code": "ls"}, "error")
    assert result == said
    assert action_of("ComputerTerminal", said, "run it")[0] == "ComputerTerminal"


def test_a_missing_file_is_an_error():
    said = "Address: file:///a.pdf\nTitle: Error 404\n"
    assert action_of("FileSurfer", said)[3] == "error"


def test_fences_without_language_and_unclosed():
    assert fences("```\na\n```\nx\n```Python\nb\n``` \n```py\nc") == [("", "a"), ("python", "b")]


def test_hostile_prose_takes_no_time():
    begun = time.perf_counter()
    for text in ("I typed '" + "' into '" * 50_000, "I clicked '" + "'. " * 50_000 + "x",
                 "```\n" * 50_000, "I typed 'a'. screenshot of [" + "](" * 50_000):  # fmt: skip
        action_of("WebSurfer", text, code=text)
        fences(text)
    assert time.perf_counter() - begun < 2
