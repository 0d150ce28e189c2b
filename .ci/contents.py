"""Check what is in the wheel and the source archive: `python .ci/contents.py dist`.

To be run in a git checkout. The wheel holds every tracked file of the package, the samples, the
notebooks and the settings for Jupyter, and nothing else: no tests, no test data, nothing that lies
about. The source archive holds what builds the same wheel again.
"""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

DIST = Path(sys.argv[1])
MOVED = {
    "agentlens/": "agentlens/",
    "sample_traces/": "agentlens/_data/sample_traces/",
    "notebooks/": "agentlens/_data/notebooks/",
    "jupyter-config/": "{name}.data/data/etc/jupyter/jupyter_server_config.d/",
}
#: One of each kind, by name, so that a pattern that matches nothing is seen.
KINDS = (
    "agentlens/widgets/js/stage.js",
    "agentlens/breaker/presets/classic.toml",
    "agentlens/figures/words.toml",
    "agentlens/teach/world.parquet",
    "agentlens/_data/sample_traces/incident.jsonl",
    "agentlens/_data/notebooks/01_post_mortem.ipynb",
)

listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True)  # noqa: S607
tracked = [name for name in listed.stdout.decode().split("\0") if name and Path(name).is_file()]
(wheel,) = DIST.glob("*.whl")
(archive,) = DIST.glob("*.tar.gz")
name = "-".join(wheel.name.split("-")[:2])

wanted = {
    to.format(name=name) + path.removeprefix(start)
    for path in tracked
    for start, to in MOVED.items()
    if path.startswith(start)
}
found = {path for path in zipfile.ZipFile(wheel).namelist() if not path.endswith("/")}
found = {path for path in found if not path.startswith(f"{name}.dist-info/")}
with tarfile.open(archive) as packed:
    packed_names = {m.name.partition("/")[2] for m in packed.getmembers() if m.isfile()}
needed = {path for path in tracked if path.startswith(tuple(MOVED))}
needed |= {"pyproject.toml", "README.md", "LICENSE"}
wrong = {
    "missing in the wheel": {*wanted, *KINDS} - found,
    "in the wheel, but not tracked": found - wanted,
    "missing in the source archive": needed - packed_names,
    "in the source archive, but not tracked": packed_names - {*tracked, "PKG-INFO"},
}
for what, names in wrong.items():
    for path in sorted(names):
        print(f"{what}: {path}")
if any(wrong.values()):
    sys.exit(1)
size = wheel.stat().st_size, archive.stat().st_size
print(f"wheel: {len(found)} files, {size[0]:,} bytes; source archive: {size[1]:,} bytes")
