"""What Pyodide has not is not needed: jieba, Arrow, a Jupyter server, processes of its own.

There `jieba` and `jupyterlab` cannot be installed (no pure wheel, a server), `resource` is not in
the standard library, and starting a process fails.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CODE = """
import importlib.abc, json, multiprocessing, os, sys

ABSENT = set("jieba pyarrow zstandard distributed resource termios jupyterlab jupyter_server zmq "
             "tornado kaleido".split())

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def refuse(*_, **__):
    raise OSError("emscripten does not support processes")

sys.meta_path.insert(0, Absent())
multiprocessing.Process.start = refuse
os.cpu_count = lambda: 1
samples, page = sys.argv[1:]
import agentlens as al

trace = al.load(f"{samples}/incident.jsonl")
said = {"classic": al.replay(trace, "classic").trip.round, "layered": al.replay(trace).trip.round}
said["many"] = len(list(al.load_many(samples, progress=False)))
bundle = al.Lens(trace, "classic")._repr_mimebundle_()
said["still"] = "<svg" in bundle["text/html"] and "round 3" in bundle["text/html"]
al.report(trace, page, "classic")
for name, call in (
    ("words", lambda: al.replay(trace, al.Policy.preset("classic", profile="words-jieba"))),
    ("parquet", lambda: al.write_parquet(trace, page + ".parquet")),
):
    try:
        call()
    except (al.PolicyError, al.TraceError) as error:
        said[name] = str(error)
print(json.dumps(said))
"""


def test_load_replay_lens_and_report_need_no_more(root: Path, tmp_path: Path):
    samples, page = root / "sample_traces", tmp_path / "report.html"
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(samples), str(page)],
        capture_output=True, text=True, check=False, cwd=root,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["classic"], said["layered"]) == (3, 4)  # the golden trips of the incident
    assert said["many"] == len([*samples.glob("*.json"), *samples.glob("*.jsonl")])
    assert said["still"]
    assert "jieba" in said["words"]
    assert "pyarrow" in said["parquet"]
    assert page.stat().st_size > 100_000
