"""A guard in the hooks of agent frameworks; each module imports its framework, none another's.

`agentlens.integrations.langchain`, `langgraph`, `openai_agents`, `smolagents` and `pydantic_ai`
each need the extra of that name; `bare` is a loop that needs nothing.
"""
