"""Print pip constraints that hold every dependency at the lowest version that pyproject promises.

`python .ci/lowest.py [EXTRA ...]` reads the package's dependencies and those of the named extras;
each lower bound must name a version that was published. `python .ci/lowest.py --extras` prints the
names of all extras instead.
"""

import re
import sys
import tomllib
from pathlib import Path

text = Path(__file__).resolve().parents[1].joinpath("pyproject.toml").read_text("utf-8")
project = tomllib.loads(text)["project"]
extras = project["optional-dependencies"]
if sys.argv[1:] == ["--extras"]:
    print(",".join(extras))
    sys.exit()
for requirement in [*project["dependencies"], *(r for name in sys.argv[1:] for r in extras[name])]:
    if bound := re.match(r"([\w.-]+)>=([\w.]+)", requirement):
        print(f"{bound[1]}=={bound[2]}")
