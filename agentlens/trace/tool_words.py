"""What a tool does, by the words of its name: the table behind `agentlens.trace.tools`.

Every agent spells its tools anew (``webSearch``, ``web_search``, ``mcp__tavily__tavily-search``),
but with the same words. Looking for a pattern in local files, or for a tool in a list of tools,
is reading: such patterns are not the queries that an agent rewords when a search engine
disappoints. Precision for ``search`` matters most: only searches are fingerprinted.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["classify", "words_of"]

#: Whole names, lower case without separators.
_NAMES = {
    **dict.fromkeys(
        "toolsearch filesearch searchdir searchfile searchtool searchtools findtools listtools "
        "retrievetools toolretriever route webfetch browse gitstatus gitlog gitdiff gitshow "
        "getsearchresults readmcpresource lsp".split(), "read"),
    **dict.fromkeys("searchreplace searchandreplace strreplace strreplaceeditor "
                    "strreplacebasededittool notebookedit submitform message reply".split(),
                    "write"),
    **dict.fromkeys("codebasesearch webrun deepwiki context7 perplexity".split(), "search"),
    **dict.fromkeys("askfollowupquestion exitplanmode transfertohumanagents "
                    "requestuserinput waitforuser getuserinput".split(), "ask"),
    **dict.fromkeys("attemptcompletion finalanswer presentfile presentfiles exit giveup".split(),
                    "finish"),
    **dict.fromkeys("task agent killshell killbash skill stopagent".split(), "run"),
    **dict.fromkeys("todowrite writetodos todoread readtodos updateplan enterplanmode "
                    "sequentialthinking updatetodolist taskmanager".split(), "think"),
    **dict.fromkeys("bashoutput taskoutput agentoutput writestdin process monitor "
                    "viewbackgroundagent".split(), "poll"),
}  # fmt: skip

_THINK = frozenset(
    "think thinking thought thoughts todo todos plan planning reflect scratchpad 思考 规划".split()
)
_LOCAL = frozenset("grep glob ripgrep rg ls regex".split())
_INDEXED = frozenset("file files dir directory folder tool tools symbol symbols".split())
_POLL = frozenset("poll wait sleep status 等待 轮询".split())
_HUMAN = frozenset(
    "user human humans clarify clarification confirm confirmation approval approve permission "
    "followup 人工 确认".split()
)
_ASK = frozenset("ask request clarify clarification confirm approval 询问 确认".split())
_FINISH = frozenset("finish finished submit done complete completion terminate 完成 提交".split())
_SEARCH = frozenset(
    "search searches searching websearch retrieve retrieval retriever rag 搜索 检索 搜一下".split()
)
#: Engines and libraries that are only searched where no other verb says what is done with them.
_ENGINES = frozenset(
    "google bing duckduckgo ddg tavily serper serpapi exa brave baidu bocha searxng searx arxiv "
    "pubmed wikipedia kagi jina knowledge 百度 谷歌 必应 知识库".split()
)
_WRITE = frozenset(
    "write edit replace create update delete insert patch apply save send post book cancel modify "
    "move rename remove append upload commit add generate convert merge merger draw drawing fill "
    "set put notify email publish manage format install push 写入 保存 创建 修改 删除 发送".split()
)
_READ = frozenset(
    "read reader fetch get getter list view open cat show load crawl scrape extract browse browser "
    "visit navigate screenshot snapshot scroll goto query lookup describe find check inspect tree "
    "summarize summarise analyze analyse compare geocode whois validate recommend suggest explore "
    "download head tail count rate 查询 读取 获取 查看 打开".split()
)
_RUN = frozenset(
    "run exec execute bash shell terminal command cmd python code interpreter repl click type "
    "press hover calculate calculator call task start stop kill launch spawn interact process "
    "执行 运行 计算".split()
)
_VERBS = (("search", _SEARCH), ("write", _WRITE), ("read", _READ))
_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[\u4e00-\u9fff]+")


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case: at case changes and separators.

    Examples
    --------
    >>> words_of("mcp_getRecipeById")
    ['mcp', 'get', 'recipe', 'by', 'id']
    """
    return [word.lower() for word in _SPLIT.findall(name)]


def _has(words: list[str], vocabulary: frozenset[str]) -> bool:
    return any(_is(word, vocabulary) for word in words)


def _is(word: str, vocabulary: frozenset[str]) -> bool:
    """Say whether a word is in a vocabulary; Chinese runs together, so there a part is enough."""
    if word.isascii():
        return word in vocabulary
    return any(each in word for each in vocabulary if not each.isascii())


@lru_cache(maxsize=4096)
def classify(tool: str) -> str:
    """Return the effect of a tool by its name; ``unknown`` where the table has no word of it.

    Examples
    --------
    >>> [classify(name) for name in ("webSearch", "search_files", "tavily_extract", "frobnicate")]
    ['search', 'read', 'read', 'unknown']
    """
    last = re.split(r"__|[./:]", tool)[-1] or tool
    words = words_of(last)
    for name in ("".join(words), "".join(words_of(tool))):
        if name in _NAMES:
            return _NAMES[name]
    if _has(words, _THINK):
        return "think"
    if _has(words, _LOCAL) or (_has(words, _SEARCH) and _has(words, _INDEXED)):
        return "read"
    if _has(words, _POLL):
        return "poll"
    if _has(words, _ASK) and (_has(words, _HUMAN) or len(words) == 1):
        return "ask"
    if _has(words, _FINISH):
        return "finish"
    for word in words:  # the first verb says what is done, the rest to what
        for effect, vocabulary in _VERBS:
            if _is(word, vocabulary):
                return effect
    if _has(words, _ENGINES) or _has(words, _ASK):
        return "search"  # an engine by its name, or a question to a source of knowledge
    return "run" if _has(words, _RUN) else "unknown"
