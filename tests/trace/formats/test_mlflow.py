"""MLflow traces: a real one of version 3, hand-written ones of version 2, and the live source."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


@pytest.mark.shared
def test_a_real_trace_agrees_with_a_plain_reading(shared):
    path = shared / "data" / "traces" / "mlflow" / "mlflow_trace.json"
    data = json.loads(path.read_text("utf-8"))
    spans = [(s, {k: json.loads(v) for k, v in s["attributes"].items()})
             for s in data["data"]["spans"]]  # fmt: skip
    tools = [(s, a) for s, a in spans if a["mlflow.spanType"] == "TOOL"]
    trace = load(path)
    calls = trace.tables["calls"]
    assert trace.format == "mlflow"
    assert calls["tool"] == [s["name"] for s, _ in tools]
    assert calls["args"] == [a["mlflow.spanInputs"] for _, a in tools]
    assert calls["result"] == [a["mlflow.spanOutputs"] for _, a in tools]
    assert calls["status"] == ["ok"] * 4
    assert calls["seconds"] == pytest.approx(
        [(s["end_time_unix_nano"] - s["start_time_unix_nano"]) / 1e9 for s, _ in tools], abs=1e-6
    )
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.meta.trace_id == data["info"]["trace_id"]
    assert trace.meta.task == "NYSE martial arts"
    assert trace.meta.outcome == {}


def attributes(kind, sent, came, **more):
    values = {"mlflow.spanType": kind, "mlflow.spanInputs": sent, "mlflow.spanOutputs": came}
    return {k: json.dumps(v) for k, v in {**values, **more}.items()}


HELLO = {"role": "user", "content": "hello"}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
    ],
}
CAME = {"role": "tool", "tool_call_id": "c1", "content": "none"}


def version_2(name="tr-1"):
    def span(number, title, second, marks, **more):
        return {
            "name": title, "context": {"span_id": f"{number:016x}", "trace_id": "ab" * 16},
            "parent_id": None if number == 1 else f"{1:016x}",
            "start_time": (1_700_000_000 + second) * 10**9,
            "end_time": (1_700_000_001 + second) * 10**9,
            "status_code": "OK", "status_message": "", "attributes": marks, "events": [], **more,
        }  # fmt: skip

    usage = {"mlflow.chat.tokenUsage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}}
    answer = {"choices": [{"message": ASKED}], "model": "m"}
    return {
        "info": {"request_id": name, "experiment_id": "3", "status": "ERROR",
                 "request_metadata": {"mlflow.trace.session": "s"}},
        "data": {"request": "{}", "response": "{}", "spans": [
            span(1, "bot", 0, attributes("AGENT", {"question": "hello"}, "end")),
            span(2, "llm", 1, attributes("CHAT_MODEL", {"messages": [HELLO]}, answer, **usage)),
            span(3, "find", 3, attributes("TOOL", {"q": "x"}, None), status_code="ERROR",
                 events=[{"name": "exception", "timestamp": 1, "attributes": {
                     "exception.type": "KeyError", "exception.message": "'x'"}}]),
            span(4, "llm", 5, attributes("CHAT_MODEL", {"messages": [HELLO, ASKED, CAME]}, "end")),
        ]},
    }  # fmt: skip


def check(trace):
    assert trace.format == "mlflow"
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert (calls["tool"], calls["args"], calls["status"]) == (["find"], [{"q": "x"}], ["error"])
    assert (calls["error_type"], calls["result"]) == (["KeyError"], ["'x'"])
    assert (rounds["tokens"], rounds["text"]) == ([9, None], ["", "end"])
    assert trace.tables["events"]["text"] == ["hello"]
    assert (trace.meta.session_id, trace.meta.agent, trace.meta.models) == ("s", "bot", ("m",))
    assert trace.meta.extra == {"experiment": "3", "state": "ERROR"}


def test_version_2_and_the_shapes_in_which_traces_are_kept(tmp_path):
    check(load(version_2()))
    path = tmp_path / "traces.json"
    path.write_text(json.dumps([version_2("tr-1"), version_2("tr-2")]))
    traces = list(load_many(path))
    assert [t.meta.trace_id for t in traces] == ["tr-1", "tr-2"]
    check(traces[1])
    row = {"trace_id": "tr-1", "trace": json.dumps(version_2()), "state": "ERROR", "spans": []}
    check(load(pd.DataFrame([row])))
    assert len(load({"spans": version_2()["data"]["spans"]})) == 1


class Client:
    def get_trace(self, name):
        if name == "tr-none":
            return None
        if name == "tr-bad":
            raise RuntimeError("no such trace\nand a long tale")
        return SimpleNamespace(to_dict=lambda: version_2(name))

    def search_traces(self, locations, page_token=None):
        class Page(list):
            token = None

        assert locations == ["3"]
        page = Page([self.get_trace("tr-2" if page_token else "tr-1")])
        page.token = None if page_token else "next"
        return page


def test_the_live_source_goes_through_the_client(monkeypatch):
    module = ModuleType("mlflow")
    module.MlflowClient = Client
    monkeypatch.setitem(sys.modules, "mlflow", module)
    check(load("mlflow:tr-9"))
    assert [t.meta.trace_id for t in load_many("mlflow:3")] == ["tr-1", "tr-2"]
    for name, why in (("tr-none", "no such trace"), ("tr-bad", "no such trace"), ("", "names no")):
        with pytest.raises(TraceError, match=why) as caught:
            load(f"mlflow:{name}")
        assert "\n" not in str(caught.value)


def test_without_mlflow_the_live_source_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(TraceError, match=r"mlflow:tr-1: needs the package mlflow"):
        load("mlflow:tr-1")


def test_broken_traces_are_noted_or_refused():
    broken = version_2()
    broken["data"]["spans"].append({"name": "no id"})
    assert any("not a span" in note.message for note in load(broken).notes)
    with pytest.raises(TraceError, match="holds no span"):
        load({"info": {"request_id": "r"}, "data": {"spans": []}})
