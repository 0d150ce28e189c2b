"""The house rules that a reader relies on, checked on the tree itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "agentlens"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted([*MODULES, *PACKAGE.rglob("*.js")])


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[str]:
    """Return the fenced code blocks of a page, without their fences."""
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", ROOMS, ids=name_of)
def test_has_at_most_250_lines(path: Path):
    lines = path.read_text("utf-8").count("\n")
    assert lines <= 250


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_says_what_it_is_for(path: Path):
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False
    ).stdout.decode()
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_path_of_one_machine():
    pattern = re.compile(rb"/(?:work|root|home/(?!me\b|you\b|user\b|ana\b)\w+)/\w+/")
    guilty = [
        name_of(path)
        for path in tracked()
        if path.suffix not in (".png",) and path.parts[len(ROOT.parts)] != "sample_traces"
        and pattern.search(path.read_bytes()) and path != Path(__file__)
    ]  # fmt: skip
    assert not guilty


ENTRIES = (
    "README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE pyproject.toml mkdocs.yml .ci/run "
    "docs/architecture.md sample_traces/README.md notebooks/01_post_mortem.ipynb "
    "benchmarks/README.md"
)


@pytest.mark.parametrize("entry", ENTRIES.split())
def test_has(entry: str):
    assert (ROOT / entry).is_file()


def test_every_place_says_the_same_version():
    import agentlens

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert project["version"] == cited[1] == agentlens.__version__
    assert f"## {cited[1]} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_dependency_says_what_it_is_for():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)["project"]
    lines = text.splitlines()
    for group in (project["dependencies"], *project["optional-dependencies"].values()):
        for requirement in group:
            line = next(line for line in lines if f'"{requirement}"' in line)
            assert len(line.partition("#")[2].split()) >= 1, requirement


def test_the_first_two_blocks_of_the_readme_are_the_commands():
    opening, testing, *_ = blocks((ROOT / "README.md").read_text("utf-8"))
    for command in (opening, testing):
        assert command.count("\n") == 1, "one line each"
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert opening.rstrip().endswith(".venv/bin/agentlens lab")
    assert "pytest" in testing


HEAVY = ("pandas", "plotly", "ipywidgets", "jieba", "numpy", "jupyterlab")


def test_import_is_quick_and_light():
    """Less than 0.2 s, the best of three; what is heavy is imported when it is first used."""
    code = (
        "import sys, time; start = time.perf_counter(); import agentlens; "
        f"print(time.perf_counter() - start, [m for m in {HEAVY!r} if m in sys.modules])"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.split(maxsplit=1)
        for _ in range(3)
    ]
    assert all(loaded.strip() == "[]" for _, loaded in answers)
    assert min(float(seconds) for seconds, _ in answers) < 0.2
