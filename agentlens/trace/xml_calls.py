"""Tool calls that a model wrote as XML in its text, as Cline and Roo had them before native calls.

``<read_file><path>a.py</path></read_file>`` is one call with one argument. Only names of tools
that those hosts had are read as such: an answer about HTML is no call.
"""

from __future__ import annotations

import re

__all__ = ["RESULT", "xml_calls"]

_TOOLS = (
    "execute_command read_file write_to_file replace_in_file apply_diff insert_content "
    "search_and_replace search_files list_files list_code_definition_names browser_action "
    "use_mcp_tool access_mcp_resource ask_followup_question attempt_completion new_task "
    "plan_mode_respond plan_mode_response switch_mode fetch_instructions codebase_search "
    "update_todo_list web_fetch web_search load_mcp_documentation run_slash_command condense "
    "new_rule report_bug generate_image act_mode_respond focus_chain summarize_task"
).split()
_OPEN = re.compile(rf"<({'|'.join(_TOOLS)})>")
_PARAMETER = re.compile(r"<([a-z_]{1,40})>")
_PATH = re.compile(r"<path>([^<]*)</path>")
#: Arguments that hold text in which their own closing tag may occur.
_WHOLE = frozenset(("content", "diff", "arguments", "args", "result", "command"))
_MAX_CALLS, _MAX_PARAMETERS = 50, 100

#: How the host begins the answer to such a call.
RESULT = re.compile(r"\[(\w{1,60})(?: for [^\n]{0,2000})?\] Result:[ \t]*\n?")


def xml_calls(text: str) -> tuple[str, list[tuple[str, dict[str, str]]]]:
    r"""Return the text before the first call, and the calls: ``(tool, arguments)``.

    Examples
    --------
    >>> xml_calls("I look.\n<read_file>\n<path>a.py</path>\n</read_file>")
    ('I look.', [('read_file', {'path': 'a.py'})])
    """
    calls: list[tuple[str, dict[str, str]]] = []
    first, at = len(text), 0
    while len(calls) < _MAX_CALLS:
        match = _OPEN.search(text, at)
        if match is None:
            break
        end = text.find(f"</{match[1]}>", match.end())
        if end < 0:  # cut off: the host did not run it
            break
        calls.append((match[1], _parameters(text[match.end() : end])))
        first = min(first, match.start())
        at = end + len(match[1]) + 3
    return (text[:first].rstrip() if calls else text), calls


def _parameters(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    for _ in range(_MAX_PARAMETERS):
        match = _PARAMETER.search(body, at)
        if match is None:
            break
        closing = f"</{match[1]}>"
        find = body.rfind if match[1] in _WHOLE else body.find
        end = find(closing, match.end())
        if end < 0:
            at = match.end()
            continue
        found[match[1]] = body[match.end() : end].strip("\n")
        at = end + len(closing)
    paths = _PATH.findall(found.get("args", ""))
    if paths and "path" not in found:
        found["path"] = ", ".join(paths)
    return found
