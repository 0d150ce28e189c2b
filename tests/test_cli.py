"""The command line: what it prints, one-line errors with code 2, and no crash at a closed pipe."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agentlens.cli import main

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
SECRET = "sk-ant-api03-" + "Q4x7mK2p" * 11 + "-AAAAAA"


def write(path: Path, queries, tool="web_search", seconds=7.175, result=""):
    rows = [
        {"round": n, "tool": tool, "args": {"query": q}, "seconds": seconds, "result": result}
        for n, q in enumerate(queries, 1)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return str(path)


@pytest.fixture
def incident(tmp_path: Path) -> str:
    return write(tmp_path / "incident.jsonl", INCIDENT)


def run(*words, env=None, **more):
    return subprocess.run(
        [sys.executable, "-m", "agentlens.cli", *words], capture_output=True, check=False,
        env={**os.environ, "PYTHONWARNINGS": "", **(env or {})}, **more,
    )  # fmt: skip


def out_of(capsys, *words, code=0):
    assert main(words) == code
    got = capsys.readouterr()
    return got.out if code == 0 else got.err


def test_replay_tells_the_incident(incident, capsys):
    lines = out_of(capsys, "replay", incident, "--policy", "classic").splitlines()
    assert lines[0] == "Would have stopped before round 3 of 5. Saved: 3 rounds, 21.5 s."
    assert lines[1].startswith(
        "“今日天气 晴雨” repeats “天气” of round 1: 2 of 2 tokens; count 2 of 2"
    )
    assert lines[2] == "What the later rounds brought: nothing new"
    table = lines[4:]
    assert len(table) == 6
    assert [line.split()[0] for line in table[1:]] == list("12345")
    assert [line.endswith("would not have happened") for line in table[1:]] == [False] * 2 + [
        True
    ] * 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--threshold", "3"], "before round 4 of 5. Saved: 2 rounds, 14.3 s."),
        (["--threshold", "1"], "before round 2 of 5. Saved: 4 rounds, 28.7 s."),
        (["--measure", "jaccard"], "Would not have stopped in 5 rounds."),
        (["--profile", "whitespace"], "Would not have stopped in 5 rounds."),
        (["--lang", "zh"], "本会在第 3 轮之前停下（共 5 轮）。可省：3 轮，21.5 s。"),
    ],
)
def test_replay_options(incident, capsys, options, said):
    assert said in out_of(capsys, "replay", incident, "--policy", "classic", *options)


def test_boundary_is_exact(tmp_path, capsys):
    boundary = write(tmp_path / "b.jsonl", ["今日天气 气温", "今日天气 晴雨", "今日天气 风力"])
    for similarity, stops in (("0.8", True), ("4/5", True), ("0.80", True), ("0.81", False)):
        said = out_of(capsys, "replay", boundary, "--policy", "classic", "--similarity", similarity)
        assert said.startswith(
            "Would have stopped before round 3" if stops else "Would not have"
        ), said


def test_json_is_the_replay(incident, capsys):
    import agentlens as al

    got = json.loads(
        out_of(capsys, "replay", incident, "--policy", "classic", "--json", "--threshold", "3")
    )
    assert got["trip"]["round"] == 4
    assert got["policy"]["threshold"] == 3
    assert got["verdict"] == "loop"
    want = al.replay(al.load(incident), al.Policy.preset("classic", threshold=3)).to_dict()
    assert got["trips"] == want["trips"]
    assert [r["query"] for r in got["rounds"]] == INCIDENT


def test_policy_file(incident, tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text('preset = "classic"\nthreshold = 3\n', "utf-8")
    assert "before round 4" in out_of(capsys, "replay", incident, "--policy", str(file))
    assert "before round 2" in out_of(
        capsys, "replay", incident, "--policy", str(file), "--threshold", "1"
    )
    file.write_text('threshold = 2\nmeasure = "foo"\n', "utf-8")
    said = out_of(capsys, "replay", incident, "--policy", str(file), code=2)
    assert said.startswith(f"agentlens: {file}, line 2: measure")


def test_unknown_search_tool_is_named_and_can_be_marked(tmp_path, capsys):
    trace = write(tmp_path / "t.jsonl", INCIDENT, tool="oracle")
    said = out_of(capsys, "replay", trace, "--policy", "classic")
    assert said.startswith("No search was recognised among 5 calls.")
    assert "Tools seen: oracle" in said
    assert "--search-tool" in said
    assert "before round 3" in out_of(
        capsys, "replay", trace, "--policy", "classic", "--search-tool", "oracle"
    )


def test_long_runs_are_shown_around_the_trip(tmp_path, capsys):
    trace = write(tmp_path / "t.jsonl", [f"{n}" for n in range(100)] + ["北京"] * 100)
    short = out_of(capsys, "replay", trace, "--policy", "classic").splitlines()
    assert len(short) < 40
    assert any(line.split()[:1] == ["103"] for line in short)
    assert short[-1] == "… 176 rounds more; --all prints them"
    assert len(out_of(capsys, "replay", trace, "--policy", "classic", "--all").splitlines()) > 200


def bad_files(folder: Path) -> dict[str, str]:
    files = {
        "empty": b"",
        "cut": b'{"a": [1',
        "binary": bytes(range(256)) * 4,
        "unknown": b'{"hello": 1}',
        "words": b"it is a text",
        "line7": b'{"round": 1, "tool": "x"}\n' * 6 + b"{oops}",
    }
    for name, data in files.items():
        (folder / f"{name}.json").write_bytes(data)
    return {name: str(folder / f"{name}.json") for name in files}


@pytest.mark.parametrize("name", ["empty", "cut", "binary", "unknown", "words"])
@pytest.mark.parametrize("command", ["replay", "lab"])
def test_bad_input_is_one_line(tmp_path, capsys, name, command):
    path = bad_files(tmp_path)[name]
    said = out_of(capsys, command, path, code=2)
    assert said.startswith(f"agentlens: {path}")
    assert said.count("\n") == 1
    assert not Path("agentlens-notebooks").exists()


def test_a_damaged_line_is_a_note(tmp_path, capsys):
    said = out_of(capsys, "replay", bad_files(tmp_path)["line7"])
    assert "note: damaged" in said
    assert "line 7" in said


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "nowhere.jsonl"],
        ["replay", "{incident}", "--policy", "nope"],
        ["replay", "{incident}", "--similarity", "2"],
        ["replay", "{incident}", "--threshold", "0"],
        ["replay", "{incident}", "--profile", "nope"],
        ["scan", "nowhere"],
        ["scan", "{folder}/void"],
        ["lab", "nowhere.jsonl"],
        ["convert", "nowhere.jsonl", "--to", "atif", "-o", "x.json"],
        ["convert", "{incident}", "--to", "atif", "-o", "{folder}/no/such/folder/x.json"],
    ],
)
def test_mistakes_are_one_line(incident, tmp_path, capsys, words):
    (tmp_path / "void").mkdir()
    words = [w.format(incident=incident, folder=tmp_path) for w in words]
    said = out_of(capsys, *words, code=2)
    assert said.startswith("agentlens: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "words", [[], ["nonsense"], ["replay"], ["replay", "x", "--threshold", "a"]]
)
def test_wrong_usage_is_code_2(words):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2


def test_scan(tmp_path, incident, capsys):
    write(tmp_path / "fine.jsonl", ["能源补贴政策", "北京天气"])
    bad_files(tmp_path)
    lines = out_of(capsys, "scan", str(tmp_path), "--policy", "classic").splitlines()
    assert (
        lines[0] == "1 of 3 sessions would have been stopped; saved: 3 rounds, 21.5 s. "
        "No recognised search in 1. Not readable: 5."
    )
    assert lines[1] == f"in {tmp_path}"
    body = lines[4:]
    assert "incident.jsonl" in body[0]
    assert sum("not readable" in line for line in body) == 5
    rows = json.loads(
        out_of(capsys, "scan", str(tmp_path), "--policy", "classic", "--json", "--threshold", "3")
    )
    assert rows[0]["trip_round"] == 4
    assert len(rows) == 8


def test_policies(capsys):
    said = out_of(capsys, "policies")
    assert "roo-code" in said
    assert "repetition" in said
    assert "numeric_veto" in said
    assert json.loads(out_of(capsys, "policies", "--json"))["classic"]["similarity"] == "4/5"


@pytest.mark.parametrize("to", ["atif", "plain", "parquet"])
def test_convert_reads_back(tmp_path, incident, capsys, to):
    target = tmp_path / f"out.{to}"
    assert main(["convert", incident, "--to", to, "-o", str(target)]) == 0
    said = capsys.readouterr().err
    assert said == f"{target}: 5 calls, {to}; no secret found to mask\n"
    assert out_of(capsys, "replay", str(target), "--policy", "classic").startswith(
        "Would have stopped before round 3 of 5."
    )


@pytest.mark.parametrize("to", ["atif", "plain"])
def test_convert_masks_unless_told_otherwise(tmp_path, to):
    trace = write(tmp_path / "s.jsonl", [f"key {SECRET}"])
    done = run("convert", trace, "--to", to)
    assert b"Q4x7" not in done.stdout
    assert "<api-key:1>" in done.stdout.decode()
    assert done.stderr.decode() == (
        f"written: 1 call, {to}; masked: 1 API key (--no-redact keeps them)\n"
    )
    kept = run("convert", trace, "--to", to, "--no-redact")
    assert SECRET in kept.stdout.decode()
    assert "were kept as they are" in kept.stderr.decode()


def test_secrets_are_masked(tmp_path, capsys):
    trace = write(tmp_path / "s.jsonl", [f"key {SECRET}"] * 5)
    for words in (
        ["replay", trace],
        ["replay", trace, "--json"],
        ["replay", trace, "--lang", "zh"],
        ["scan", str(tmp_path)],
        ["scan", str(tmp_path), "--json"],
    ):
        said = out_of(capsys, *words)
        assert SECRET not in said
        assert SECRET[:30] not in said
        assert "key" in said


def test_escape_sequences_do_not_reach_the_terminal(tmp_path, capsys):
    trace = write(tmp_path / "e.jsonl", ["\x1b[2J\x1b]0;owned\x07 weather \u202e"] * 4)
    for words in (["replay", trace], ["scan", str(tmp_path)]):
        said = out_of(capsys, *words)
        assert "\x1b" not in said
        assert "\x07" not in said
        assert "\u202e" not in said


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_utf8_whatever_the_locale(incident, env):
    done = run("replay", incident, env=env)
    assert done.returncode == 0, done.stderr
    assert "今日天气 晴雨" in done.stdout.decode("utf-8")
    assert "\x1b" not in done.stdout.decode("utf-8")  # no colour where it is not a terminal


def test_closed_pipe_is_quiet(tmp_path):
    trace = write(tmp_path / "t.jsonl", ["北京"] * 5000)
    command = [sys.executable, "-m", "agentlens.cli", "replay", trace, "--all"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


def test_installed_command(incident):
    script = Path(sys.executable).parent / "agentlens"
    done = subprocess.run([script, "replay", incident], capture_output=True, check=True)
    assert done.stdout.startswith(b"Would have stopped before round 3")
    done = subprocess.run([script, "--version"], capture_output=True, check=True)
    assert done.stdout.startswith(b"agentlens 0.")


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("gzipped", [False, True])
def test_a_log_from_a_pipe(incident, name, gzipped):
    data = Path(incident).read_bytes()
    got = run("replay", name, input=gzip.compress(data) if gzipped else data)
    assert got.returncode == 0, got.stderr
    assert got.stdout.startswith(b"Would have stopped before round 3 of 5.")


def test_a_log_from_a_named_pipe(incident, tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(Path(incident).read_bytes()))
    writer.start()
    assert out_of(capsys, "replay", str(pipe), "--policy", "classic").startswith(
        "Would have stopped before round 3 of 5."
    )
    writer.join()


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_an_empty_pipe_is_one_line(name):
    got = run("replay", name, input=b"")
    assert got.returncode == 2
    assert got.stderr.count(b"\n") == 1
    assert got.stderr.endswith(b": the file is empty\n")


def test_a_folder_is_for_scan(incident, capsys):
    folder = str(Path(incident).parent)
    said = out_of(capsys, "replay", folder, "--policy", "classic", code=2)
    assert said == f"agentlens: {folder}: is a folder; use: agentlens scan {folder}\n"


def test_a_search_tool_that_the_trace_does_not_have_is_a_note(incident, capsys):
    said = out_of(
        capsys, "replay", incident, "--policy", "classic", "--search-tool", "nosuch"
    ).splitlines()
    assert "note: info: --search-tool nosuch: the trace has no such tool" in said
    assert "nosuch" not in out_of(capsys, "replay", incident, "--policy", "classic")
    assert "such tool" not in out_of(
        capsys, "replay", incident, "--policy", "classic", "--search-tool", "web_search"
    )


@pytest.mark.parametrize("workers", ["0", "-1", "x", "1.5"])
def test_workers_are_counted_from_one(incident, capsys, workers):
    with pytest.raises(SystemExit) as caught:
        main(["scan", incident, f"--workers={workers}"])
    assert caught.value.code == 2
    assert "whole number from 1 on" in capsys.readouterr().err


def test_formats_prints_every_registered_format(capsys):
    from agentlens.trace.formats import FORMATS

    lines = out_of(capsys, "formats").splitlines()
    assert lines[0].split() == "format written by times tokens cost threads tested against".split()
    assert [line.split()[0] for line in lines[1:]] == sorted(FORMATS)
    rows = {row["format"]: row for row in json.loads(out_of(capsys, "formats", "--json"))}
    assert rows["claude_code"]["holds"] == ["times", "tokens", "threads"]
    assert rows["smolagents"]["recorded"] == {"smolagents": "1.26.0"}


def test_show_prints_the_calls(incident, tmp_path, capsys):
    lines = out_of(capsys, "show", incident).splitlines()
    assert lines[0] == "incident.jsonl: plain, 5 calls in 5 rounds"
    assert lines[1] == "Would have stopped before round 3 of 5. Saved: 3 rounds, 21.5 s."
    assert [line.split()[:2] for line in lines[4:6]] == [["1", "web_search"], ["2", "web_search"]]
    assert lines[6].startswith("──")
    assert [line.split()[0] for line in lines[7:]] == ["3", "4", "5"]
    only = out_of(capsys, "show", incident, "--rounds", "2-3").splitlines()
    assert [line.split()[0] for line in only[4:]] == ["2", "──", "3"]
    assert "no thread 'x'" in out_of(capsys, "show", incident, "--thread", "x", code=2)
    for wrong in ("", "-", "3-2", "a", "1-2-3"):
        with pytest.raises(SystemExit):
            main(["show", incident, f"--rounds={wrong}"])
        assert "rounds" in capsys.readouterr().err


def test_show_of_many_rounds_is_short_unless_all_are_asked_for(tmp_path, capsys):
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": f"q{n}"}, "result": f"fact {n}"}
        for n in range(1, 1001)
    ]
    (tmp_path / "t.json").write_text(json.dumps(rows), "utf-8")
    trace = str(tmp_path / "t.json")
    lines = out_of(capsys, "show", trace).splitlines()
    assert len(lines) == 4 + 31
    assert lines[19].split() == ["…", "970", "rounds", "…"]
    assert len(out_of(capsys, "show", trace, "--all").splitlines()) == 4 + 1000


def test_prices_of_a_file_give_what_was_saved(tmp_path, capsys):
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": q}, "model": "m",
         "input_tokens": 1_000, "output_tokens": 100}
        for n, q in enumerate(INCIDENT, 1)
    ]  # fmt: skip
    trace, prices = tmp_path / "t.json", tmp_path / "prices.toml"
    trace.write_text(json.dumps(rows), "utf-8")
    prices.write_text("[m]\ninput = 2.0\noutput = 10.0\n", "utf-8")
    words = ["replay", str(trace), "--json", "--prices", str(prices)]
    saved = json.loads(out_of(capsys, *words))["trip"]["saved_cost"]
    assert saved == pytest.approx(3 * 0.003)  # 1,000 × 2 + 100 × 10 = 3,000 millionths a round
    prices.write_text("[m]\ninput = -2.0\n", "utf-8")
    assert "must be US dollars" in out_of(capsys, *words, code=2)
