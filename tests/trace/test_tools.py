"""What tools do, by names that occur in real logs."""

from __future__ import annotations

import pytest

from agentlens.trace.tool_words import classify
from agentlens.trace.tools import describe_all, queries_of

NAMES = {
    "search": (
        "webSearch WebSearch web_search search search_wikipedia duckduckgo_web_search "
        "search_papers notion_search mcp__tavily__tavily-search brave_web_search "
        "google_search exa_search firecrawl_search search_notes search-museum-objects "
        "codebase_search ask_repo retrieve_documents knowledge_base_retrieval web__run "
        "x_keyword_search 搜索 联网搜索 检索文档"
    ),
    "read": (
        "Read Grep Glob LS WebFetch web_fetch read_file list_directory grep find_file "
        "search_files search_dir file_search grep_search ToolSearch search_tools route "
        "get_user_details get_reservation_details tavily_extract google_drive_read_file "
        "get_arxiv_paper browser_snapshot playwright_navigate directory_tree git_status "
        "get_search_results describe_table 查询天气"
    ),
    "write": (
        "Edit Write MultiEdit NotebookEdit str_replace str_replace_editor "
        "str_replace_based_edit_tool apply_patch write_file book_reservation "
        "update_reservation_flights cancel_reservation send_certificate "
        "create_search_index message send_email google_calendar_create_event add_slide "
        "search_replace"
    ),
    "run": (
        "Bash bash execute_code terminal exec calculate click start_process "
        "python_interpreter Task Agent run_terminal_cmd"
    ),
    "poll": (
        "BashOutput TaskOutput write_stdin wait get_job_status process view_background_agent sleep"
    ),
    "think": ("think TodoWrite write_todos update_plan sequentialthinking todo create_plan"),
    "ask": (
        "AskUserQuestion ask_followup_question ask_clarification "
        "transfer_to_human_agents ExitPlanMode request_user_input ask_user"
    ),
    "finish": ("submit attempt_completion final_answer finish present_files task_complete"),
    "unknown": ("frobnicate lol-champion-analysis npmQuality x"),
}


@pytest.mark.parametrize(("effect", "names"), NAMES.items(), ids=NAMES.keys())
def test_names(effect: str, names: str):
    assert {name: classify(name) for name in names.split()} == dict.fromkeys(names.split(), effect)


def described(tool: str, args, raw=None, known=None) -> tuple:
    made = describe_all([tool], [tool], [args], [raw], known or {})
    return made["effect"][0], made["queries"][0], made["target"][0]


def test_a_search_without_free_text_is_a_lookup():
    flights = {"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}
    assert described("search_direct_flight", flights)[:2] == ("read", ())
    assert (
        described("airbnb_search", {"location": "Rome", "checkin": "1", "adults": 2})[0] == "read"
    )
    assert described("search_code", {"path": "/a", "pattern": "x", "filePattern": "*"})[0] == "read"
    assert described("web_search", {"query": "x", "count": 3})[:2] == ("search", ("x",))
    assert described("web_search", {"topic": "x"})[:2] == ("search", ("x",))
    assert described("web_search", None)[0] == "search"
    assert described("web_search", {})[0] == "search"


@pytest.mark.parametrize(
    ("tool", "args", "effect"),
    [
        ("write_stdin", {"session_id": 5, "chars": ""}, "poll"),
        ("write_stdin", {"session_id": 5}, "poll"),
        ("write_stdin", {"session_id": 5, "chars": "y\n"}, "run"),
        ("write_stdin", {"session_id": 5, "chars": "\x03"}, "run"),
        ("process", {"action": "poll", "sessionId": "a"}, "poll"),
        ("process", {"action": "log", "sessionId": "a"}, "poll"),
        ("process", {"action": "kill", "sessionId": "a"}, "run"),
        ("process", None, "poll"),
    ],
)
def test_typing_into_what_runs_is_no_poll(tool: str, args, effect: str):
    assert described(tool, args)[0] == effect
    assert described(tool, args, known={tool: "poll"})[0] == "poll"


def test_queries():
    assert queries_of({"queries": ["a", {"q": "b"}]}, None) == ("a", "b")
    assert queries_of({"search_query": [{"q": "a"}]}, None) == ("a",)
    assert queries_of({"q": 7}, None) == ("7",)
    assert queries_of(None, "free text") == ("free text",)
    assert queries_of(None, '{"cut') == ()
    assert queries_of({"term": "a", "query": ""}, None) == ("a",)
    assert queries_of({"a": 1, "b": [None]}, None) == ()
    assert queries_of({"x": "a", "y": "b"}, None, "y") == ("b",)


def test_targets():
    assert described("Read", {"file_path": "/a", "limit": 3})[2] == "/a"
    assert described("open", {"id": 7})[2] == "7"
    assert described("open", {"path": ""})[2] is None
